# The manual as HTML and as man pages, made of resources/manual by lowdown where it is installed.
find_program(LOWDOWN lowdown)
if(NOT LOWDOWN)
  message(STATUS "lowdown is not installed: the manual stays Markdown, without HTML and man pages of it")
  return()
endif()
file(GLOB_RECURSE manual_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/resources/manual/*.md)
set(manual_made ${PROJECT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual_made}/made
  COMMAND ${PROJECT_SOURCE_DIR}/packaging/manual.sh ${PROJECT_SOURCE_DIR}/resources/manual ${manual_made}
    ${PROJECT_VERSION}
  DEPENDS ${manual_pages} ${PROJECT_SOURCE_DIR}/packaging/manual.sh ${PROJECT_SOURCE_DIR}/packaging/manual.awk
  VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual_made}/made)
add_dependencies(programs manual)
install(DIRECTORY ${manual_made}/html/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html)
install(DIRECTORY ${manual_made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
