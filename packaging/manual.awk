# Of a page of the manual what lowdown can read, as -v to says:
#   html   headings have the anchors that links name, and links lead to pages of HTML
#   man    without its title, which the name of the page says
#   about  its first sentence alone, or the heading or item before it that says what this is, for the line below NAME
# Comments of a line go.
function anchor(text) {
  text = tolower(text)
  gsub(/[!-,.\/:-@[-^`{-~]/, "", text)
  gsub(/ /, "-", text)
  return text
}
# `[[[run]] x](y)`: lowdown takes brackets inside a link's text for another link
function escaped(line,    made) {
  while (match(line, /\[\[\[[a-z]+\]\]/)) {
    made = made substr(line, 1, RSTART) "\\[\\[" substr(line, RSTART + 3, RLENGTH - 5) "\\]\\]"
    line = substr(line, RSTART + RLENGTH)
  }
  return made line
}
function linked(line,    made) {
  while (match(line, /\]\([^):]*\.md[)#]/)) {
    made = made substr(line, 1, RSTART + RLENGTH - 5) ".html" substr(line, RSTART + RLENGTH - 1, 1)
    line = substr(line, RSTART + RLENGTH)
  }
  return made line
}
function tellFirstSentence(    text) {
  if (item) about = item
  if (!about) about = title
  if (match(about, /\.( |$)/)) about = substr(about, 1, RSTART - 1)
  gsub(/[`*]/, "", about)
  gsub(/\[\[\[/, "[<<", about)  # of [[run]] the brackets stay, of a link its text
  gsub(/\]\]\]/, ">>]", about)
  gsub(/\[\[/, "<<", about)
  gsub(/\]\]/, ">>", about)
  while (match(about, /\[[^][]*\]\([^)]*\)/)) {
    text = substr(about, RSTART + 1, RLENGTH - 2)
    sub(/\]\(.*/, "", text)
    about = substr(about, 1, RSTART - 1) text substr(about, RSTART + RLENGTH)
  }
  gsub(/<</, "\\[\\[", about)
  gsub(/>>/, "\\]\\]", about)
  gsub(/_/, "\\_", about)
  print about
}

/^```/ {
  fence = !fence
  if (to == "about") next
}
to == "about" && /^# / {
  title = $0
  sub(/^# /, "", title)
  if (sub(/^\[+[a-z]+\]+: /, "", title)) item = title  # "[cluster]: who trains, and over which links"
}
to == "about" && !item && /^- (What it is|In short|A vertex takes|Gives|Title in reports): / {
  item = $0
  sub(/^- [^:]*: /, "", item)
}
to == "about" && (fence || /^[#|<-]/ || /^$/) { if (about) exit; next }
to == "about" { about = about (about ? " " : "") $0; next }
fence { print; next }
/^<!--.*-->$/ { next }
to == "man" && /^# / { next }
to == "html" && /^#+ / {
  text = $0
  sub(/^#+ /, "", text)
  if (!/`/) gsub(/_/, "\\_")
  print escaped($0) " {#" anchor(text) "}"
  next
}
to == "html" { print linked(escaped($0)); next }
{ print escaped($0) }
END { if (to == "about") tellFirstSentence() }
