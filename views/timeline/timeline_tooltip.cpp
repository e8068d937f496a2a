#include "views/timeline/timeline_tooltip.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "views/look/units.h"
#include "views/spans/last_there.h"
#include "views/timeline/timeline_labels.h"

namespace halo {
namespace {

QString line(const QString& label, const QString& value) {
  return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>").arg(label, value.toHtmlEscaped());
}

QString passText(Pass pass) {
  switch (pass) {
    case Pass::none:
      return {};
    case Pass::forward:
      return QStringLiteral("forward");
    case Pass::backward:
      return QStringLiteral("backward");
  }
  return {};
}

constexpr std::size_t kMostReasons = 4;

std::vector<SpanPlace::Reason> reasonsOf(const TimelineModel& model, std::int64_t rank, TimeRange range) {
  std::map<std::pair<Name, std::int32_t>, std::int64_t> sums;
  for (const Span& piece : model.waitsWithin(rank, range))
    if (const std::int64_t ns = std::min(piece.endNs(), range.endNs) - std::max(piece.beginNs, range.beginNs);
        ns > 0)
      sums[{piece.name, piece.peer}] += ns;
  std::vector<SpanPlace::Reason> reasons;
  for (const auto& [key, ns] : sums) reasons.push_back({key.first, key.second, ns});
  std::ranges::stable_sort(reasons, std::greater(), &SpanPlace::Reason::ns);
  if (reasons.size() > kMostReasons) reasons.resize(kMostReasons);
  return reasons;
}

QString nameText(Name name) {
  const std::string_view word = text(name);
  return QString::fromUtf8(word.data(), std::ssize(word));
}

QString layerAndPass(std::int16_t layer, Pass pass) {
  const QString word = passText(pass);
  return QString::number(layer) + (word.isEmpty() ? QString() : QStringLiteral(", ") + word);
}

QString meetingTooltip(const TimelineModel& model, const MessageArrow& arrow) {
  const QString last = model.rankName(arrow.sender), waiter = model.rankName(arrow.receiver);
  QString html = QStringLiteral("<b>%1</b>: %2 came last<table>").arg(nameText(*arrow.meeting), last);
  html += line(QStringLiteral("%1 waited for it").arg(waiter), formatNs(arrow.waitedNs));
  html += line("and went on after", formatNs(arrow.usedNs - arrow.sentNs));
  html += line("epoch", QString::number(arrow.sentEpoch));
  if (arrow.layer >= 0) html += line("layer", layerAndPass(arrow.layer, arrow.pass));
  if (arrow.bytes > 0) html += line("bytes sent", formatBytes(arrow.bytes));
  return html + line("came at", formatNs(arrow.sentNs - model.extent().beginNs, 7)) + "</table>";
}

using Facts = std::vector<std::pair<QString, QString>>;

Facts spanFacts(const SpanPlace& place, const Span& span) {
  const std::int64_t begin = span.beginNs - place.zeroNs;
  Facts facts{{"duration", formatNs(span.durationNs)}, {"begins at", formatNs(begin, 7)}};
  if (!place.time.isEmpty()) facts.emplace_back("told in", place.time);
  if (place.mhz) {
    facts.emplace_back("cycles", formatCycles(span.durationNs, *place.mhz));
    facts.emplace_back("from cycle", formatCycles(begin, *place.mhz));
  }
  facts.emplace_back("where", place.row);
  if (span.epoch >= 0) facts.emplace_back("epoch", QString::number(span.epoch));
  if (span.layer >= 0) {
    facts.emplace_back("layer", layerAndPass(span.layer, span.pass));
  }
  if (place.transfers > 1) facts.emplace_back("transfers", formatCount(place.transfers));
  if (span.peer >= 0) facts.emplace_back("peer", QStringLiteral("rank %1").arg(span.peer));
  if (!place.lastThere.isEmpty()) facts.emplace_back("peers", place.lastThere);
  for (const auto& [cause, peer, ns] : place.reasons)
    facts.emplace_back(waitText(cause),
                       formatNs(ns) + (peer >= 0 ? QStringLiteral(", for rank %1").arg(peer) : QString()));
  if (span.bytes > 0) {
    facts.emplace_back("bytes", formatBytes(span.bytes));
    if (span.durationNs > 0) {
      const double rate = static_cast<double>(span.bytes) * 1e9 / static_cast<double>(span.durationNs);
      facts.emplace_back("rate", formatBytes(static_cast<std::int64_t>(rate)) + "/s");
    }
  }
  return facts;
}

}  // namespace

QString kindText(Kind kind) {
  const std::string_view word = text(kind);
  return QString::fromUtf8(word.data(), std::ssize(word));
}

QString waitText(Name cause) {
  const std::string_view word = causeText(cause);
  return (isReason(cause) ? QStringLiteral("wait: %1") : QStringLiteral("waits for %1"))
      .arg(QString::fromUtf8(word.data(), std::ssize(word)));
}

QString rowText(const RowId& row, const QString& rank) {
  QString where = QStringLiteral("%1, %2").arg(rank, laneText(row.lane));
  if (row.lane == Lane::link && row.sub > 0) return where + ' ' + peerText(row.sub);
  if (row.sub > 0) where += QStringLiteral(" %1").arg(row.sub + 1);
  return where;
}

SpanPlace spanPlaceOf(const TimelineModel& model, const RowId& row, const Span& span) {
  SpanPlace place{rowText(row, model.rankName(row.rank)), model.extent().beginNs, model.clockMhz(row.rank)};
  place.time = model.time().title;
  const RowEntry* entry = model.find(row);
  if (entry != nullptr && entry->inFlight)
    place.transfers = model.statistics({span.beginNs, span.endNs()}, {row}).spans;
  if (row.lane == Lane::main) place.reasons = reasonsOf(model, row.rank, {span.beginNs, span.endNs()});
  place.lastThere = lastThereText(model, row.rank, span);
  return place;
}

QString spanTooltip(const SpanPlace& place, const Span& span) {
  QString html =
      QStringLiteral("<b>%1</b> · %2<table>").arg(spanLabel(span.name, span.layer), kindText(span.kind));
  for (const auto& [label, value] : spanFacts(place, span)) html += line(label, value);
  return html + "</table>";
}

QString spanText(const SpanPlace& place, const Span& span) {
  QString lines = spanLabel(span.name, span.layer) + ", " + kindText(span.kind);
  for (const auto& [label, value] : spanFacts(place, span)) lines += "\n" + label + ": " + value;
  return lines;
}

QString pixelTooltip(const QString& where, const SpanRow& spans, const PixelFacts& facts,
                     std::int64_t zeroNs) {
  const std::int64_t length = std::max<std::int64_t>(1, facts.range.lengthNs());
  QString html = QStringLiteral("<b>%1 spans</b> in %2<table>")
                     .arg(formatCount(static_cast<std::int64_t>(facts.spans)), formatNs(length));
  for (std::size_t k = 0; k < facts.ns.size(); ++k) {
    if (facts.ns[k] == 0) continue;
    html += line(kindText(static_cast<Kind>(k)),
                 formatShare(static_cast<double>(facts.ns[k]) / static_cast<double>(length)));
  }
  for (const auto& [cause, ns] : facts.waitedNs)
    html += line(waitText(cause), formatShare(static_cast<double>(ns) / static_cast<double>(length)));
  const std::int64_t busy = std::accumulate(facts.ns.begin(), facts.ns.end(), std::int64_t{0});
  html += line("nothing", formatShare(static_cast<double>(length - busy) / static_cast<double>(length)));
  html += line("longest", spanLabel(spans.name(facts.longest), spans.layer(facts.longest)) + ", " +
                              formatNs(spans.durationNs(facts.longest)));
  html += line("at", formatNs(facts.range.beginNs - zeroNs, 7));
  html += line("where", where);
  return html + "</table><i>zoom to see them</i>";
}

QString arrowTooltip(const TimelineModel& model, const MessageArrow& arrow) {
  if (arrow.meeting) return meetingTooltip(model, arrow);
  QString html = QStringLiteral("<b>message</b> %1 → %2<table>")
                     .arg(model.rankName(arrow.sender), model.rankName(arrow.receiver));
  html += line("bytes", formatBytes(arrow.bytes));
  html += line("under way", formatNs(arrow.arrivedNs - arrow.sentNs));
  if (arrow.usedNs > arrow.arrivedNs) html += line("lay ready", formatNs(arrow.usedNs - arrow.arrivedNs));
  if (arrow.usedEpoch == arrow.sentEpoch) {
    html += line("epoch", QString::number(arrow.sentEpoch));
  } else {
    html += line("sent in epoch", QString::number(arrow.sentEpoch));
    html += line("used in epoch", QString::number(arrow.usedEpoch));
  }
  if (arrow.layer >= 0) html += line("layer", layerAndPass(arrow.layer, arrow.pass));
  return html + line("sent at", formatNs(arrow.sentNs - model.extent().beginNs, 7)) + "</table>";
}

namespace {

QString laneTotals(const TimelineModel& model, const RowId& row, TimeRange shown) {
  const TimeRange extent = model.extent();
  const TimeRange range{std::max(shown.beginNs, extent.beginNs), std::min(shown.endNs, extent.endNs)};
  if (range.endNs <= range.beginNs) return {};
  const SelectionStatistics sums = model.selectionStatistics(range, {row});
  QString where = rowText(row, model.rankName(row.rank));
  if (row.layer != kEveryLayer) where += QStringLiteral(", ") + layerText(row.layer);
  QString html = QStringLiteral("<b>%1</b>, %2 in view<table>").arg(where, formatNs(range.lengthNs()));
  for (std::size_t k = 0; k < sums.ns.size(); ++k)
    if (sums.ns[k] > 0)
      html += line(kindText(static_cast<Kind>(k)),
                   formatNs(sums.ns[k]) + QStringLiteral(", ") +
                       formatShare(static_cast<double>(sums.ns[k]) / static_cast<double>(range.lengthNs())));
  html += line("spans", formatCount(sums.spans));
  if (const QString host = model.hostOf(row.rank); !host.isEmpty()) html += line("host", host);
  return html + "</table>";
}

}  // namespace

QString headingTooltip(const TimelineLayout& layout, const TimelineBlocks& blocks, QPoint place) {
  if (place.y() < layout.frame().rulerHeight) return {};
  const RowPlace* at = layout.placeAt(place.y());
  if (at != nullptr && place.x() < layout.frame().headerWidth)
    return laneTotals(layout.modelOf(*at), layout.entryOf(*at).id, layout.shown());
  if (at != nullptr || !blocks.several()) return {};
  for (std::size_t block = 0; block < blocks.all().size(); ++block) {
    const TimelineLayout::BlockBox box = layout.blockBox(block);
    if (place.y() < box.top || place.y() >= box.change) continue;
    const TimelineBlock& run = blocks.all()[block];
    return QStringLiteral("<b>%1</b><br>%2").arg(run.name.toHtmlEscaped(), run.note.toHtmlEscaped());
  }
  return {};
}

QString timelineTooltip(const TimelineLayout& layout, QPoint at) {
  const RowPlace* place = layout.lanes().contains(at) ? layout.placeAt(at.y()) : nullptr;
  if (place == nullptr || layout.entryOf(*place).row == nullptr) return {};
  const TimelineModel& model = layout.modelOf(*place);
  const RowId row = layout.entryOf(*place).id;
  const SpanRow& spans = layout.entryOf(*place).row->spans;
  const PixelGrid grid = layout.grid();
  const double ratio = layout.frame().ratio;
  const auto column = grid.first + static_cast<std::int64_t>((at.x() - layout.lanes().left()) * ratio);
  const auto last = column + std::max<std::int64_t>(1, std::lround(ratio));
  const PixelFacts facts =
      factsOf(spans, {grid.beginOf(column), std::max(grid.beginOf(last), grid.beginOf(column) + 1)});
  // told from the begin of its own run, wherever that stands on the axis
  if (facts.spans > 1)
    return pixelTooltip(rowText(row, model.rankName(row.rank)), spans, facts, model.extent().beginNs);
  const auto id = layout.spanAt(at);
  if (!id) return {};
  const Span span = spans.at(id->index);
  return spanTooltip(spanPlaceOf(model, row, span), span);
}

}  // namespace halo
