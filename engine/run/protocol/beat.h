#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

/// What a rank says of itself every few seconds on its own standard error. The launcher passes it on even
/// where the rank is stuck inside MPI.
struct Beat {
  std::int64_t rank = 0;
  bool last = false;  // it is being ended
  std::string version, host;
  std::string words;  // "waits 37 s in layer 1 forward for rank 0 (epoch 12)"
  bool operator==(const Beat&) const = default;
};

/// One line, to be written in one piece. Of `words` what would end the line becomes a blank.
std::string encodeBeat(const Beat& beat);

/// Takes the beats out of the launcher's standard error, wherever in a line they stand: a library may have
/// written half of its own.
class BeatReader {
 public:
  void feed(std::string_view bytes);
  /// Since the last call, in order.
  std::vector<Beat> takeBeats();
  /// Complete lines that are no beats, without the carriage return that ssh ends its own with.
  std::vector<std::string> takeLines();
  /// What no line's end has followed.
  std::string takeRest();

 private:
  std::string buffer_, line_;  // bytes not looked at yet; the line's beginning that stood before a beat
  std::vector<Beat> beats_;
  std::vector<std::string> lines_;
};

}  // namespace halo
