#include "views/timeline/timeline_raster.h"

#include <QtConcurrent/QtConcurrentMap>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr double kWidePixels = 6;  // from here on a span has an outline and shows its kind's cue
constexpr std::uint64_t kKeepFrames = 30;

/// First y of what the cue fills of [top, bottom).
int cueTop(Cue cue, int top, int bottom) {
  const int filled = std::max(1, static_cast<int>(std::lround((bottom - top) * cueHeight(cue))));
  return bottom - filled;
}

}  // namespace

void TimelineRaster::updateLine(Kept& rowCache, TimelineRow& row) {
  const Palette& colors = *style_.colors;
  Line& line = rowCache.line;
  const bool current = rowCache.version == version_ && rowCache.theme == colors.theme &&
                       rowCache.grid.sameScale(grid_) && line.color.size() == at(grid_.width);
  if (current && rowCache.grid.first == grid_.first) return;
  const std::int64_t moved = grid_.first - rowCache.grid.first;
  if (current && std::abs(moved) < grid_.width) {
    const auto shift = [&](auto& column) {
      if (moved > 0)
        std::move(column.begin() + moved, column.end(), column.begin());
      else
        std::move_backward(column.begin(), column.end() + moved, column.end());
    };
    shift(line.color);
    shift(line.tag);
    shift(line.aggregated);
    if (moved > 0)
      computeLine(row, grid_, colors, grid_.width - static_cast<int>(moved), grid_.width, line);
    else
      computeLine(row, grid_, colors, 0, static_cast<int>(-moved), line);
  } else {
    const auto width = at(grid_.width);
    line.color.resize(width);
    line.tag.resize(width);
    line.aggregated.resize(width);
    computeLine(row, grid_, colors, 0, grid_.width, line);
  }
  line.wide.clear();
  if (regimeOf(row, grid_) == Regime::direct)
    findWide(row.spans, grid_, line, kWidePixels * style_.pixelRatio, line.wide);
  rowCache.grid = grid_;
  rowCache.version = version_;
  rowCache.theme = colors.theme;
}

void TimelineRaster::update(const TimelineModel& model, const std::vector<RowPlace>& places) {
  struct Job {
    Kept* kept;
    TimelineRow* row;
  };
  std::vector<Job> jobs;
  for (const RowPlace& place : places) {
    const RowEntry& entry = model.rows()[place.entry];
    if (entry.row == nullptr) continue;
    Kept& rowCache = kept_[entry.id];
    rowCache.frame = frame_;
    jobs.push_back({&rowCache, entry.row});
  }
  QtConcurrent::blockingMap(jobs, [this](Job& job) { updateLine(*job.kept, *job.row); });
  std::erase_if(kept_, [&](const auto& item) { return item.second.frame + kKeepFrames < frame_; });
}

const TimelineRaster::Exposed& TimelineRaster::exposedOf(const TimelineModel& model, std::int64_t rank) {
  const auto match = exposed_.find(rank);
  if (match != exposed_.end()) return match->second;
  Exposed& exposed = exposed_[rank];
  exposed.assign(at(grid_.width), 0);
  TimelineRow* main = model.mainOf(rank);
  if (main == nullptr) return exposed;
  Kept& rowCache = kept_[{rank, Lane::main, 0, model.block()}];
  rowCache.frame = frame_;
  updateLine(rowCache, *main);
  const std::uint8_t waiting = pureTag(at(Kind::communication));
  for (std::size_t x = 0; x < exposed.size(); ++x) exposed[x] = rowCache.line.tag[x] == waiting;
  return exposed;
}

void TimelineRaster::preparePatterns() {
  const auto width = at(grid_.width);
  // fixed to the run, so that patterns move with their spans
  const auto column = [&](std::size_t x) {
    return static_cast<std::int64_t>(static_cast<double>(grid_.first + static_cast<std::int64_t>(x)) /
                                     style_.pixelRatio);
  };
  std::vector<int> places(width);
  for (std::size_t x = 0; x < width; ++x) places[x] = static_cast<int>((column(x) % 12 + 12) % 12);
  for (std::size_t cue = 0; cue < gaps_.size(); ++cue)
    for (int y = 0; y < 12; ++y) {
      std::array<std::uint8_t, 12> period{};
      for (int x = 0; x < 12; ++x) period[at(x)] = cueGap(static_cast<Cue>(cue), x, y);
      std::vector<std::uint8_t>& gaps = gaps_[cue][at(y)];
      gaps.assign(width, 0);
      if (period == std::array<std::uint8_t, 12>{}) continue;
      for (std::size_t x = 0; x < width; ++x) gaps[x] = period[at(places[x])];
    }
  for (int row = 0; row < 2; ++row) {
    std::vector<std::uint8_t>& dots = stipple_[at(row)];
    dots.resize(width);
    for (std::size_t x = 0; x < width; ++x) dots[x] = ((places[x] + row) & 1) == 0;
  }
}

void TimelineRaster::draw(QImage& picture, const TimelineModel& model, const std::vector<RowPlace>& places,
                          const PixelGrid& grid, const TimelineStyle& style, Between between) {
  grid_ = grid;
  style_ = style;
  version_ = model.version();
  bits_ = picture.bits();
  stride_ = picture.bytesPerLine();
  height_ = picture.height();
  ++frame_;
  exposed_.clear();
  labels_.setFont(style.font, style.pixelRatio);
  preparePatterns();
  if (std::exchange(edgesOf_, style.colors) != style.colors)
    for (std::size_t kind = 0; kind < edges_.size(); ++kind)
      edges_[kind] = edgeOf(*style.colors, static_cast<Kind>(kind));
  update(model, places);
  struct Job {
    const RowPlace* place;
    const Line* line;
    const Exposed* exposed;
  };
  std::vector<Job> jobs;
  int painted = between == Between::clear ? 0 : height_;  // above this every pixel is written
  const auto clearTo = [&](int y) {
    for (; painted < std::min(y, height_); ++painted)
      std::fill_n(lineAt(painted), grid_.width, style_.colors->lane);
  };
  for (const RowPlace& place : places) {
    const RowEntry& entry = model.rows()[place.entry];
    clearTo(place.top);
    if (entry.row == nullptr) {
      clearTo(place.top + place.height);
      drawLoading(place, model.blocksOf(entry.id.rank, entry.id.lane));
      continue;
    }
    const Exposed* exposed = entry.id.lane == Lane::link ? &exposedOf(model, entry.id.rank) : nullptr;
    jobs.push_back({&place, &kept_[entry.id].line, exposed});
    painted = std::max(painted, std::min(place.top + place.height, height_));
  }
  clearTo(height_);
  const int gap = std::max(1, static_cast<int>(std::lround(style_.pixelRatio)));
  const auto spansOf = [&](const Job& job) -> const SpanRow& {
    return model.rows()[job.place->entry].row->spans;
  };
  QtConcurrent::blockingMap(jobs, [&](Job& job) {
    drawRow(*job.place, *job.line, job.exposed, model.rows()[job.place->entry].id.lane == Lane::phase);
    const int bottom = job.place->top + job.place->height - gap;
    drawOutlines(job.place->top, bottom, spansOf(job), *job.line);
    const bool fullHeight = model.rows()[job.place->entry].id.lane == Lane::wait;
    const int from = fullHeight ? job.place->top : cueTop(Cue::hollow, job.place->top, bottom);
    drawWaits(job.place->top, from, bottom, spansOf(job));
  });
  for (const Job& job : jobs)
    for (const WideSpan& wide : job.line->wide)
      drawLabel(picture, job.place->top, job.place->top + job.place->height - gap, spansOf(job), wide,
                job.exposed != nullptr);
}

void TimelineRaster::drawLoading(const RowPlace& place, const std::vector<SpanBlockInfo>& blocks) {
  const int top = std::max(0, place.top + place.height / 3);
  const int bottom = std::min(height_, place.top + place.height - place.height / 3);
  const auto column = [&](double pixel) {
    return static_cast<int>(std::clamp(pixel, 0.0, double(grid_.width)));
  };
  for (const SpanBlockInfo& block : blocks) {
    const int left = column(grid_.pixelOf(block.firstNs));
    const int right = column(std::ceil(grid_.pixelOf(block.lastNs)));
    for (int y = top; y < bottom; ++y)
      if (right > left) std::fill_n(lineAt(y) + left, right - left, style_.colors->frame);
  }
}

void TimelineRaster::drawRow(const RowPlace& place, const Line& line, const Exposed* exposed, bool phase) {
  const int gap = std::max(1, static_cast<int>(std::lround(style_.pixelRatio)));
  const int bottom = place.top + place.height - gap;
  const auto bytes = at(grid_.width) * sizeof(QRgb);
  for (int y = std::max(0, place.top); y < std::min(height_, place.top + place.height); ++y) {
    if (y < bottom)
      std::memcpy(lineAt(y), line.color.data(), bytes);
    else
      std::fill_n(lineAt(y), grid_.width, style_.colors->lane);
  }
  drawCues(place.top, bottom, line, exposed, phase);
  if (place.height >= 8 * style_.pixelRatio) drawStipple(bottom, line);
}

void TimelineRaster::drawCues(int top, int bottom, const Line& line, const Exposed* exposed, bool phase) {
  const int least = static_cast<int>(kWidePixels * style_.pixelRatio);
  const QRgb lane = style_.colors->lane;
  // a phase lane holds frames alone: part of one is drawn as one, not as a block of full height
  constexpr std::uint8_t kFrame = pureTag(at(Kind::other));
  const auto tagAt = [&](int x) {
    const std::uint8_t tag = line.tag[at(x)];
    return phase && tag == kMixedTag ? kFrame : tag;
  };
  for (int x = 0; x < grid_.width;) {
    const std::uint8_t tag = tagAt(x);
    int end = x + 1;
    while (end < grid_.width && tagAt(end) == tag) ++end;
    const int begin = std::exchange(x, end);
    if (tag == kEmptyTag || tag == kMixedTag) continue;
    const Cue cue = cueOf(static_cast<Kind>(tag - 1), exposed != nullptr);
    // a run cut off by the edge may be wide outside; a thin line is thin however short it is
    const bool narrow = end - begin < least && begin > 0 && end < grid_.width;
    if (cue == Cue::solid || (narrow && cue != Cue::baseline)) continue;
    const QRgb gapColor = mix(style_.colors->kind[tag - 1U], lane, cue == Cue::hollow ? 0.75 : 0.6);
    const int filledFrom = cueTop(cue, top, bottom);
    for (int y = std::max(0, top); y < std::min(height_, bottom); ++y) {
      QRgb* pixels = lineAt(y);
      if (y < filledFrom) {
        std::fill_n(pixels + begin, end - begin, lane);
        continue;
      }
      if (cue == Cue::baseline || (cue == Cue::hollow && (y == filledFrom || y == bottom - 1))) continue;
      const auto patternY = static_cast<std::size_t>((y - top) / style_.pixelRatio) % 12;
      const std::uint8_t* gaps = gaps_[at(cue)][patternY].data();
      if (cue == Cue::hatch) {
        const std::uint8_t* waited = exposed->data();
        for (int column = begin; column < end; ++column)
          pixels[column] = gaps[column] != 0 && waited[column] == 0 ? gapColor : pixels[column];
      } else {
        for (int column = begin; column < end; ++column)
          pixels[column] = gaps[column] != 0 ? gapColor : pixels[column];
      }
    }
  }
}

void TimelineRaster::drawStipple(int bottom, const Line& line) {
  const int dot = std::max(1, static_cast<int>(std::lround(style_.pixelRatio)));
  for (int y = std::max(0, bottom - 2 * dot); y < std::min(height_, bottom); ++y) {
    QRgb* pixels = lineAt(y);
    const std::uint8_t* dots = stipple_[at((bottom - 1 - y) / dot) & 1].data();
    const std::uint8_t* aggregated = line.aggregated.data();
    for (int x = 0; x < grid_.width; ++x) {
      const QRgb over = qGray(pixels[x]) < 128 ? 0xFFFFFFFF : 0xFF000000;
      pixels[x] = (aggregated[x] & dots[x]) != 0 ? over : pixels[x];
    }
  }
}

void TimelineRaster::drawOutlines(int top, int bottom, const SpanRow& spans, const Line& line) {
  const int pen = std::max(1, static_cast<int>(std::lround(style_.pixelRatio)));
  for (const WideSpan& wide : line.wide) {
    const Kind kind = spans.kind(wide.index);
    const QRgb edge = edges_[at(kind)];
    const int from = cueTop(cueOf(kind), top, bottom);
    for (int y = std::max(0, from); y < std::min(height_, bottom); ++y) {
      QRgb* pixels = lineAt(y);
      if (y < from + pen || y >= bottom - pen) {
        std::fill(pixels + wide.left, pixels + wide.right, edge);
      } else {
        if (wide.beginsHere) std::fill_n(pixels + wide.left, pen, edge);
        if (wide.endsHere) std::fill_n(pixels + wide.right - pen, pen, edge);
      }
    }
  }
}

/// What is waited for, in the cause's colour and hatched, where that is a quarter of a column or more: of
/// several causes the longest. In lane wait over the whole row; elsewhere as high as idle time is drawn, so
/// that what is at work beside it still shows.
void TimelineRaster::drawWaits(int top, int high, int bottom, const SpanRow& spans) {
  if (spans.waits() == 0) return;
  struct Waited {
    double all = 0, longest = 0;
    Name cause = Name::count;
  };
  std::vector<Waited> columns(at(grid_.width));
  const auto [first, last] = spans.touching(grid_.range().beginNs, grid_.range().endNs);
  for (std::size_t i = first; i < last; ++i) {
    if (spans.kind(i) != Kind::idle) continue;
    const double from = std::max(0.0, grid_.pixelOf(spans.beginNs(i)));
    const double to = std::min<double>(grid_.width, grid_.pixelOf(spans.endNs(i)));
    for (auto x = static_cast<std::size_t>(from); static_cast<double>(x) < to; ++x) {
      const double inside = std::min(to, static_cast<double>(x) + 1) - std::max(from, static_cast<double>(x));
      columns[x].all += inside;
      if (inside > columns[x].longest) columns[x].longest = inside, columns[x].cause = spans.name(i);
    }
  }
  constexpr double kShown = 0.25;
  const QRgb lane = style_.colors->lane;
  for (int y = std::max(0, high); y < std::min(height_, bottom); ++y) {
    QRgb* pixels = lineAt(y);
    for (int x = 0; x < grid_.width; ++x) {
      const Waited& column = columns[at(x)];
      if (column.all < kShown) continue;
      const auto along =
          static_cast<double>((grid_.first + x) % 6'000'000);  // patterns move with their spans
      const bool gap = waitGap(static_cast<int>(along / style_.pixelRatio),
                               static_cast<int>((y - top) / style_.pixelRatio));
      pixels[x] = gap ? lane : seriesColor(style_.colors->theme, causeColor(column.cause));
    }
  }
}

void TimelineRaster::drawLabel(QImage& picture, int top, int bottom, const SpanRow& spans,
                               const WideSpan& wide, bool link) {
  const double ratio = style_.pixelRatio;
  const int padding = static_cast<int>(3 * ratio);
  const int room = wide.right - wide.left - 2 * padding;
  if (room < 30 * ratio || bottom - top < labels_.height() - 2 * ratio) return;
  const Kind kind = spans.kind(wide.index);
  const Name name = spans.name(wide.index);
  int layer = spans.layer(wide.index);
  if (layer >= 0 && labels_.width(name, layer) > room) layer = -1;
  if (labels_.width(name, layer) > room) return;
  const Cue cue = cueOf(kind, link);
  const int filledFrom = cueTop(cue, top, bottom);
  const bool inside = bottom - filledFrom >= labels_.height() - 3 * ratio && cue != Cue::hollow;
  const QRgb color = inside ? textOn(style_.colors->kind[at(kind)]) : style_.colors->text;
  const int from = inside ? filledFrom : top;
  // above the hatch of what is waited for, where there is room
  const bool above = cue == Cue::hollow && filledFrom - top >= labels_.height() - 3 * ratio;
  const int to = above                          ? filledFrom
                 : inside || cue == Cue::hollow ? bottom
                                                : std::max(filledFrom, top + labels_.height());
  const int y = from + (to - from - labels_.height()) / 2;
  // letters on stripes are no letters: the pattern stops behind them
  if ((inside && cue != Cue::solid) || (cue == Cue::hollow && !above))
    for (int row = std::max(0, std::max(top, y)); row < std::min({height_, bottom, y + labels_.height()});
         ++row)
      std::fill_n(lineAt(row) + wide.left + padding - static_cast<int>(ratio),
                  labels_.width(name, layer) + static_cast<int>(2 * ratio),
                  inside ? style_.colors->kind[at(kind)] : style_.colors->lane);
  labels_.draw(picture, wide.left + padding, y, name, layer, color, wide.left + padding,
               wide.right - padding);
}

}  // namespace halo
