// haloscope-reference FOLDER: puts into the manual in this folder what the declarations say. Not installed;
// `ninja reference` runs it on resources/manual.
#include <cstdio>
#include <fstream>

#include "app/program/failure.h"
#include "app/reference/pages.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("haloscope-reference FOLDER\n", stderr);
    return halo::kWrongInput;
  }
  try {
    const std::filesystem::path manual = argv[1];
    for (const halo::ChangedPage& changed : halo::changedPages(manual)) {
      std::filesystem::create_directories((manual / changed.page).parent_path());
      std::ofstream out(manual / changed.page);
      if (!(out << changed.text).flush()) throw std::runtime_error("cannot write " + changed.page.string());
      std::printf("%s\n", changed.page.c_str());
    }
  } catch (const std::exception& error) {
    const halo::Failure failure = halo::failureOf(error);
    std::fprintf(stderr, "%s\n", failure.message.c_str());
    return failure.status;
  }
  return 0;
}
