#include "engine/run/protocol/last_spans.h"

#include <libdeflate.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "engine/base/check.h"

namespace halo {
namespace {

constexpr std::string_view kMark = "\x1ehaloscope-spans ";  // no text has the control character
constexpr std::size_t kSpansALine = 36;                     // in hexadecimal 3.5 KB
constexpr std::size_t kChecksumDigits = 8;

std::string inHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

/// Nothing where it is none.
std::optional<std::string> fromHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (; !text.empty(); text.remove_prefix(2)) {
    unsigned char byte = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + 2, byte, 16);
    if (error != std::errc() || end != text.data() + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::string checksum(std::string_view bytes) {
  const std::uint32_t sum = libdeflate_crc32(0, bytes.data(), bytes.size());
  std::string big;
  for (int shift = 24; shift >= 0; shift -= 8) big += static_cast<char>(sum >> shift & 255);
  return inHex(big);
}

/// What a worker of another version sends has another form.
bool isSound(const Span& span) {
  return static_cast<int>(span.lane) < kLanes && static_cast<int>(span.kind) < kKinds &&
         span.name < Name::count && span.pass <= Pass::backward && span.durationNs >= 0;
}

std::optional<SpanBatch> decode(std::string_view text) {
  if (text.size() < kChecksumDigits) return std::nullopt;
  const auto payload = fromHex(text.substr(kChecksumDigits));
  if (!payload || checksum(*payload) != text.substr(0, kChecksumDigits)) return std::nullopt;
  try {
    SpanBatch batch = decodeSpans(*payload);
    if (std::ranges::all_of(batch.spans, isSound)) return batch;
  } catch (const std::runtime_error&) {  // shorter than it says
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> encodeLastSpans(const SpanBatch& batch) {
  std::vector<std::string> lines;
  for (std::span<const Span> rest = batch.spans; !rest.empty();) {
    const auto next = rest.first(std::min(rest.size(), kSpansALine));
    const std::string payload = encodeSpans({batch.rank, {next.begin(), next.end()}, batch.actor});
    std::string& line = lines.emplace_back(std::string(kMark) + checksum(payload) + inHex(payload));
    HALO_CHECK(line.size() < kLastSpansLine);
    line.resize(kLastSpansLine - 1, ' ');
    line += '\n';
    rest = rest.subspan(next.size());
  }
  return lines;
}

std::string paddingAfter(std::size_t unread) {
  std::size_t size = (kLastSpansLine - unread % kLastSpansLine) % kLastSpansLine;
  if (size == 0) return {};
  if (size <= kMark.size()) size += kLastSpansLine;
  std::string line(kMark);
  line.resize(size - 1, ' ');
  return line + '\n';
}

bool LastSpansReader::take(const std::string& line) {
  const std::size_t mark = line.find(kMark);
  if (mark == std::string::npos) return false;
  std::string_view text = std::string_view(line).substr(mark + kMark.size());
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  if (auto batch = decode(text)) batches_.push_back(std::move(*batch));
  return true;
}

}  // namespace halo
