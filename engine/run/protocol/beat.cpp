#include "engine/run/protocol/beat.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace halo {
namespace {

constexpr std::string_view kMark = "\x1ehaloscope-beat ";  // no text has the control character

/// Takes the word before the next blank off `text`.
std::string_view word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return first;
}

std::optional<Beat> decode(std::string_view text) {
  Beat beat;
  const std::string_view rank = word(text), last = word(text);
  const auto [end, error] = std::from_chars(rank.data(), rank.data() + rank.size(), beat.rank);
  if (error != std::errc() || end != rank.data() + rank.size() || (last != "0" && last != "1"))
    return std::nullopt;
  beat.last = last == "1";
  beat.version = word(text);
  beat.host = word(text);
  beat.words = text;
  if (beat.host.empty() || beat.words.empty()) return std::nullopt;
  return beat;
}

std::string without(std::string text, std::string_view unwanted, char instead) {
  for (char& c : text)
    if (unwanted.find(c) != std::string_view::npos) c = instead;
  return text;
}

}  // namespace

std::string encodeBeat(const Beat& beat) {
  return std::string(kMark) + std::to_string(beat.rank) + (beat.last ? " 1 " : " 0 ") +
         without(beat.version, " \n\x1e", '_') + " " + without(beat.host, " \n\x1e", '_') + " " +
         without(beat.words, "\n\x1e", ' ') + "\n";
}

void BeatReader::feed(std::string_view bytes) {
  buffer_ += bytes;
  std::string_view rest = buffer_;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const std::string_view line = rest.substr(0, end - (end > 0 && rest[end - 1] == '\r' ? 1 : 0));
    rest.remove_prefix(end + 1);
    const std::size_t mark = line.find(kMark);
    const auto beat =
        mark == std::string_view::npos ? std::nullopt : decode(line.substr(mark + kMark.size()));
    line_ += line.substr(0, beat ? mark : line.size());
    if (beat)
      beats_.push_back(*beat);
    else
      lines_.push_back(std::exchange(line_, {}));
  }
  buffer_.erase(0, buffer_.size() - rest.size());
}

std::vector<Beat> BeatReader::takeBeats() { return std::exchange(beats_, {}); }
std::vector<std::string> BeatReader::takeLines() { return std::exchange(lines_, {}); }
std::string BeatReader::takeRest() { return std::exchange(line_, {}) + std::exchange(buffer_, {}); }

}  // namespace halo
