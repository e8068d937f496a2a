#include "datasets/locate.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <new>
#include <optional>
#include <span>

#include "datasets/contract/labels_beside.h"
#include "datasets/edges/edges.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/row_names.h"
#include "datasets/input/archive.h"
#include "datasets/input/limits.h"
#include "datasets/input/packings.h"
#include "datasets/input/signature.h"
#include "datasets/input/unpack.h"
#include "datasets/input/unpack_limit.h"
#include "datasets/text/text.h"
#include "datasets/text/vertex_names.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

std::vector<const FormatEntry*> byPriority() {
  std::vector<const FormatEntry*> formats;
  for (const auto& [name, entry] : registry<FormatEntry>()) formats.push_back(&entry);
  std::stable_sort(formats.begin(), formats.end(),
                   [](auto* a, auto* b) { return a->priority < b->priority; });
  return formats;
}

std::vector<std::string> formatNames() {
  std::vector<std::string> names;
  for (const FormatEntry* format : byPriority()) names.emplace_back(format->declaration.name);
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

[[noreturn]] void refuse(const std::string& key, const std::string& message) {
  throw InputError({.key = key, .message = message});
}

std::vector<fs::path> filesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// What `format` could read at `path`: the path itself, or files in the folder.
std::vector<fs::path> readableBy(const FormatEntry& format, const fs::path& path,
                                 const std::vector<fs::path>& files) {
  if (format.recognises(path)) return {path};
  std::vector<fs::path> matches;
  std::copy_if(files.begin(), files.end(), std::back_inserter(matches), format.recognises);
  return matches;
}

std::string namesOf(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(file.filename().string());
  return joined(names);
}

/// What `format` stumbles on in the file. Its reader tells: nothing is read twice but what nobody reads.
std::string stumbleIn(const FormatEntry& format, const fs::path& file) {
  try {
    format.read(file, {});
  } catch (const std::bad_alloc&) {
    return file.string() + ": needs more memory than this machine has";
  } catch (const std::exception& error) {
    return error.what();
  }
  return file.string() + ": carries none of its signs, though it can be read so: dataset.format = \"" +
         std::string(format.declaration.name) + "\"";
}

/// The same for a file or folder; a line for each of the files in question.
std::vector<std::string> stumblesOf(const FormatEntry& format, const fs::path& path,
                                    const std::vector<fs::path>& files) {
  constexpr std::size_t kMostFiles = 4;
  const bool folder = fs::is_directory(path);
  if (format.folderSign != nullptr)
    return {path.string() + (folder ? ": holds no " : ": is a file; a folder with ") + format.folderSign};
  if (!folder) return {stumbleIn(format, path)};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(files.size(), kMostFiles); ++i)
    lines.push_back(stumbleIn(format, files[i]));
  if (files.size() > kMostFiles)
    lines.push_back("and " + std::to_string(files.size() - kMostFiles) + " more files; name one of them");
  return lines;
}

/// The lines of every format, each with its name before it.
std::string stumbles(const std::vector<const FormatEntry*>& formats, const fs::path& path,
                     const std::vector<fs::path>& files) {
  std::string text;
  for (const FormatEntry* format : formats)
    for (const std::string& line : stumblesOf(*format, path, files))
      text += "\n  " + std::string(format->declaration.name) + ": " + line;
  return text;
}

/// Whether the first line of numbers begins with two whole ones, written with decimals: `0.0 1.0`.
bool writesEndsWithDecimals(std::string_view head) {
  for (const std::string_view line : linesOf(head)) {
    if (isBlankOrComment(line) || isEdgeHeader(line)) continue;
    const auto cells = edgeFields(line);
    const auto ends = std::span(cells).first(std::min<std::size_t>(cells.size(), 2));
    const auto isWhole = [](std::string_view cell) {
      const std::string word = unquoted(cell);
      double value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      return error == std::errc() && end == word.data() + word.size() && wholeNumberOf(value) >= 0;
    };
    const bool digits =
        std::ranges::all_of(ends, [](std::string_view cell) { return !digitsOf(cell).empty(); });
    return ends.size() == 2 && !digits && std::ranges::all_of(ends, isWhole);
  }
  return false;
}

/// What a file that is no graph looks like; "": nothing known.
std::string lookOf(const fs::path& file) {
  const std::string head = headOf(file, kSignatureBytes);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (writesEndsWithDecimals(headOf(file)))
    return " (vertex numbers with decimals; numpy.savetxt writes whole numbers with fmt=\"%d\")";
  const bool object = begin != std::string::npos && head[begin] == '{';
  if (object && head.find_first_of("\"}", begin) != std::string::npos)
    return " (JSON; a graph of GraphSAGE is called NAME-G.json)";
  return "";
}

/// Unpacked bytes in which each format may stumble where a text swells.
constexpr double kStumbleBytes = 16 * 1048576.0;

/// The size of a packed text that swells, and the key that raises the limit; "": it does not.
std::string swelling(const fs::path& file) try {
  if (!swells(file)) return "";
  return "; " + file.filename().string() + ", packed to " +
         sizeText(static_cast<double>(fs::file_size(file))) +
         ", holds more than a thousand times that, of which each format looks at the first " +
         sizeText(kStumbleBytes) + "; " + memoryLimitText() + " raises the limit";
} catch (const Swollen& swollen) {
  return "; " + std::string(swollen.what());
}

[[noreturn]] void refuseUnreadable(const fs::path& path, const std::vector<fs::path>& files) {
  requireCompleteZip(path);
  if (!fs::is_directory(path) && fs::file_size(path) == 0)
    throw DamagedInput(
        {.file = path.string(), .message = "the file is empty; readable are " + joined(formatNames())});
  if (!fs::is_directory(path) && headOf(path, kSignatureBytes).starts_with("\x93NUMPY"))
    throw DamagedInput(
        {.file = path.string(),
         .message =
             path.extension() == ".npz"
                 ? "holds one array, and no name of it that says what it is; a graph needs edge_index "
                   "in numpy.savez, or scipy.sparse.save_npz"
                 : "is binary, one array of numpy (.npy); a graph is an .npz, with edge_index or a sparse "
                   "matrix, or text"});
  if (!fs::is_directory(path))
    if (const std::string head = headOf(path);
        head.find('\r') != std::string::npos && head.find('\n') == std::string::npos)
      throw DamagedInput({.file = path.string(), .line = 1, .message = kCrAlone});
  const std::string reason = fs::is_directory(path) ? "the folder holds nothing in a readable format"
                                                    : "the file is in no readable format" + lookOf(path);
  const std::string readable = reason + "; readable are " + joined(formatNames());
  std::string swollen;
  for (const fs::path& file : fs::is_directory(path) ? files : std::vector{path})
    if (swollen.empty()) swollen = swelling(file);
  std::optional<UnpackLimit> limit;  // unpacking all of it for each format would take minutes
  if (!swollen.empty()) limit.emplace(kStumbleBytes);
  throw DamagedInput(
      {.file = path.string(),
       .message = readable + swollen + ", and each stumbles:" + stumbles(byPriority(), path, files)});
}

/// Which of several sets is meant has to be said.
void requireOneSet(const FormatEntry& format, const fs::path& path) {
  const auto sets = format.sets != nullptr ? format.sets(path) : std::vector<fs::path>();
  if (sets.size() < 2) return;
  const std::string name(format.declaration.name);
  refuse("dataset.path", path.string() + ": holds several sets in the format " + name + " (" + namesOf(sets) +
                             "); name one: dataset.path = \"" + sets[0].string() +
                             "\" with dataset.format = \"" + name + "\"");
}

/// Whether a file stands for the set that `format` reads from it and those beside it.
bool standsForSet(const FormatEntry& format, const fs::path& file) {
  return format.recognises(file) || (format.sets != nullptr && !format.sets(file).empty());
}

/// Takes files of a folder that surely hold no graph out of `matches`.
std::vector<fs::path> takeGraphless(const FormatEntry& format, std::vector<fs::path>& matches,
                                    std::vector<std::string>& remarks) {
  if (format.holdsNoGraph == nullptr) return {};
  std::vector<fs::path> graphless;
  std::ranges::copy_if(matches, std::back_inserter(graphless), format.holdsNoGraph);
  std::erase_if(matches, format.holdsNoGraph);
  if (!graphless.empty())
    remarks.push_back("not read: " + namesOf(graphless) + " (" + std::string(format.declaration.name) +
                      ", but no graph)");
  return graphless;
}

Located locateNamed(const fs::path& path, const std::string& format) {
  const FormatEntry* entry = find<FormatEntry>(format);
  if (!entry) {
    const std::string suggestion = nearest(format, formatNames());
    refuse("dataset.format", "'" + format + "' is not known" +
                                 (suggestion.empty() ? "" : "; did you mean '" + suggestion + "'?") +
                                 "; one of " + joined(formatNames()));
  }
  const bool folder = fs::is_directory(path);
  const auto files = folder ? filesIn(path) : std::vector<fs::path>();
  if (!folder && (entry->folderSign == nullptr || standsForSet(*entry, path))) return {path, entry};
  requireOneSet(*entry, path);
  auto matches = readableBy(*entry, path, files);
  std::vector<std::string> remarks;
  if (matches.size() > 1) takeGraphless(*entry, matches, remarks);
  if (matches.empty())
    refuse("dataset.path", path.string() + ": the " + (folder ? "folder holds nothing" : "file is not") +
                               " in the format " + format + ":" + stumbles({entry}, path, files));
  if (matches.size() > 1)
    refuse("dataset.path", path.string() + ": several files are in the format " + format + " (" +
                               namesOf(matches) + "); name one");
  return {matches[0], entry, std::move(remarks)};
}

/// The folders in which published sets are looked for.
std::vector<fs::path> searched() {
  std::vector<fs::path> folders;
  const char* named = std::getenv("HALO_DATA");
  std::string list = named ? named : "";
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  folders.emplace_back(".");
  folders.emplace_back("data");
  return folders;
}

/// Something else of the same name (an experiment file, a folder of results) is not taken for the data set.
bool isReadable(const fs::path& path) {
  const auto files = fs::is_directory(path) ? filesIn(path) : std::vector<fs::path>();
  const auto formats = byPriority();
  return std::any_of(formats.begin(), formats.end(),
                     [&](const FormatEntry* format) { return !readableBy(*format, path, files).empty(); });
}

/// The readable folder or file called `name` (any ending), underscores as good as hyphens.
std::optional<fs::path> inFolder(const fs::path& folder, const std::string& name) {
  std::string other = name;
  std::replace(other.begin(), other.end(), '-', '_');
  std::error_code unreadable;
  if (!fs::is_directory(folder, unreadable)) return std::nullopt;
  for (const std::string& spelling : {name, other})
    if (fs::is_directory(folder / spelling, unreadable) && isReadable(folder / spelling))
      return folder / spelling;
  for (const fs::path& file : filesIn(folder)) {
    const std::string stem = file.filename().string().substr(0, file.filename().string().find('.'));
    if ((stem == name || stem == other) && isReadable(file)) return file;
  }
  return std::nullopt;
}

void eraseFiles(const std::vector<fs::path>& removals, std::vector<fs::path>& from) {
  std::erase_if(from, [&](const fs::path& file) {
    return std::find(removals.begin(), removals.end(), file) != removals.end();
  });
}

/// A file whose content is elsewhere may be the one that was meant.
void remarkPointers(const std::vector<fs::path>& files, std::vector<std::string>& remarks) {
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::string head(kSignatureBytes, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (const std::string reason = pointerToData(head, file); !reason.empty())
      remarks.push_back("not read: " + file.filename().string() + " " + reason);
  }
}

Located locateUnnamed(const fs::path& path) {
  const auto all = fs::is_directory(path) ? filesIn(path) : std::vector<fs::path>();
  auto files = all;
  Located located;
  for (const FormatEntry* entry : byPriority()) {
    auto matches = readableBy(*entry, path, files);
    if (fs::is_directory(path)) eraseFiles(takeGraphless(*entry, matches, located.remarks), files);
    const std::string name(entry->declaration.name);
    if (matches.empty()) continue;
    // a file that one format understands is not offered to those after it
    eraseFiles(matches, files);
    if (located.format) {
      located.remarks.push_back("not read: " + namesOf(matches) + " (its form is that of " + name + ")");
      continue;
    }
    if (matches.size() > 1)
      refuse("dataset.path", path.string() + ": several files are in the format " + name + " (" +
                                 namesOf(matches) + "); name one");
    requireOneSet(*entry, matches[0]);
    if (entry->filesRead != nullptr) eraseFiles(entry->filesRead(matches[0]), files);
    remarkPointers(files, located.remarks);
    located.path = matches[0];
    located.format = entry;
    located.remarks.push_back("read as " + name + ": " + matches[0].string());
    if (entry->doubt != nullptr)
      if (const std::string doubt = entry->doubt(matches[0]); !doubt.empty())
        located.remarks.push_back(doubt);
    if (!fs::is_directory(path)) break;
  }
  if (!located.format) refuseUnreadable(path, all);
  return located;
}

constexpr int kDeepest = 2;  // split/NAME/train.csv

/// Adds the files in the folder and those below it, links followed as readers follow them. The depth ends
/// links in a circle, too. What cannot be looked into is not read either.
void addFiles(const fs::path& folder, int deeper, std::vector<fs::path>& files) {
  std::error_code unreadable;
  for (auto at = fs::directory_iterator(folder, unreadable); at != fs::directory_iterator();
       at.increment(unreadable)) {
    std::error_code broken;
    if (at->is_regular_file(broken))
      files.push_back(at->path());
    else if (deeper > 0 && at->is_directory(broken))
      addFiles(at->path(), deeper - 1, files);
  }
}

/// Of a set of several files, before one of them is waited for.
void refusePipes(const Located& located) {
  if (located.format->filesRead == nullptr) return;
  for (const fs::path& file : located.format->filesRead(located.path)) refusePipe(file);
}

}  // namespace

Located locate(const fs::path& path, const std::string& format, bool ownLabels) {
  requireData(path);
  if (!fs::exists(path)) refuse("dataset.path", path.string() + ": there is no such file or folder");
  Located located = format.empty() ? locateUnnamed(path) : locateNamed(path, format);
  refusePipes(located);
  if (ownLabels || !located.format->labelsBeside) return located;
  const LabelsBeside beside = labelsNear(located.path);
  located.labels = beside.labels;
  refusePipe(located.labels);
  if (std::string remark = beside.remark(); !remark.empty()) located.remarks.push_back(std::move(remark));
  return located;
}

std::vector<fs::path> sourcesOf(const Located& located) {
  std::vector<fs::path> sources;
  if (!fs::is_directory(located.path)) {
    if (located.format->filesRead != nullptr) {
      sources = located.format->filesRead(located.path);
      std::erase_if(sources, [](const fs::path& file) { return !fs::is_regular_file(file); });
      std::sort(sources.begin(), sources.end());
      return sources;
    }
    sources.push_back(located.path);
    if (!located.labels.empty()) sources.push_back(located.labels);
    return sources;
  }
  addFiles(located.path, kDeepest, sources);
  std::sort(sources.begin(), sources.end());
  return sources;
}

fs::path publishedFolder(const std::string& name) {
  for (const fs::path& folder : searched())
    if (const auto path = inFolder(folder, name)) return *path;
  refuse("dataset.name",
         "'" + name + "' is a published data set whose files are not here; put them into a folder '" + name +
             "' below the current one, below data, or below a folder named in HALO_DATA");
}

}  // namespace halo
