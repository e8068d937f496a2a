#include "datasets/text/end_names.h"

#include <algorithm>
#include <cctype>

namespace halo {
namespace {

constexpr EndNames kCertain[] = {
    {" source sources src from origin orig ",
     " target targets tgt trg trgt targ dst dest destination to sink "},
    {" citing citer ", " cited citee "},
    {" follower ", " followee followed "},
    {" sender ", " receiver reciever recipient addressee "},
    {" caller ", " callee called "},
    {" referrer referring linking ", " referred linked "},
    {" predecessor ", " successor "},
    {" trustor truster rater voter ", " trustee ratee rated votee "},
    {" payer ", " payee "},
    {" giver donor ", " taker acceptor "},
    {" lender ", " borrower "},
    {" exporter ", " importer "},
    {" upstream ", " downstream "},
    {" presynaptic ", " postsynaptic "},
    {" saddr sip srcip srcaddr srcport ", " daddr dip dstip dstaddr dstport "},
    {" outv outvertex ", " inv invertex "},  // of TinkerPop: an edge leaves outV
    {" quelle startknoten quellknoten absender ", " ziel zielknoten endknoten empfanger empfaenger "},
    {" origen origem remitente ", " destino destinatario "},
    {" origine emetteur ", " cible destinataire recepteur "},
    {" sorgente mittente ", " destinazione destinatario bersaglio "},
    {" источник исток откуда отправитель ", " цель приемник сток куда получатель назначение "},
    {" джерело звідки ", " ціль куди призначення "},
    {" πηγη πηγή ", " στοχος στόχος "},
    {" 源 源头 来源 起点 源点 源节点 起始节点 始点 起點 ソース 出発 出発点 ",
     " 目标 目標 目的 目的地 目标点 目标节点 终点 終点 終點 终止节点 ターゲット 到着 到着点 "},
    {" 출발 출발지 소스 ", " 도착 도착지 대상 목적지 "},
    {" المصدر مصدر ", " الهدف هدف الوجهة "}};

constexpr EndNames kPaired[] = {
    {" parent ", " child "}, {" head ", " tail "}, {" tail ", " head "}, {" row ", " col column "},
    {" 1 ", " 2 "},          {" 0 ", " 1 "},       {" u ", " v "},       {" i ", " j "},
    {" a ", " b "},          {" s ", " t "},       {" x ", " y "},       {" p ", " q "},
    {" h ", " t "},          {" t ", " h "},       {" s ", " d "},       {" o ", " d "},
    {" s ", " o "}};

constexpr EndNames kLeading[] = {{" start begin initial ", " end stop final finish "},
                                 {" first ", " last second "},
                                 {" one ", " two "},
                                 {" ego ", " alter alters "},
                                 {" von ", " nach zu "},
                                 {" van ", " naar "},
                                 {" od ", " do "},
                                 {" desde ", " hasta "},
                                 {" depart partenza ", " arrivee arrivo "},
                                 {" bron herkomst ", " doel bestemming "},
                                 {" kalla kilde ", " mal "},
                                 {" źrodlo źródło zrodlo źrodło ", " cel "},
                                 {" zdroj ", " cil "},
                                 {" forras ", " cel "},
                                 {" kaynak ", " hedef "},
                                 {" lahde ", " kohde "},
                                 {" fran ", " till "},
                                 {" fra ", " til "},
                                 {" erster anfang beginn ", " zweiter ende "},
                                 {" premier debut ", " second deuxieme fin "},
                                 {" inicio ", " fin fim "},
                                 {" inizio ", " fine "},
                                 {" от из начало первый ", " до в к конец второй "},
                                 {" follower ", " following "},
                                 {" departure dep ", " arrival arr "},
                                 {" pred prev previous before ", " succ next after "},
                                 {" subject subj ", " object obj "},
                                 {" cause ", " effect "},
                                 {" input ", " output "},
                                 {" left ", " right "},
                                 {" pre ", " post "}};

constexpr std::string_view kVertex[] = {"node",  "vertex",  "vertice", "knoten", "noeud", "nodo",
                                        "узел",  "вершина", "节点",    "顶点",   "id",    "idx",
                                        "index", "user",    "paper",   "author"};

constexpr std::string_view kAttributes =
    " weight weights gewicht poids peso вес time times timestamp ts zeit datetime date year month day hour "
    "type "
    "types typ kind label labels feature features value values wert degree rating ratings score layer layers "
    "count counts distance dist similarity sim prob probability confidence strength relation relations rel "
    "predicate sign cost capacity length frequency freq amount ";
constexpr std::string_view kIndices =
    " id ids index idx row rowid rownumber rank edge edgeid edgenumber edgenr edgeno eid unnamed0 nr no num "
    "number "
    "numero nummer lfd lfdnr line lineno linenumber pos position seq counter key link linkid relid kante "
    "kantenid arete номер № 序号 编号 ";

bool holds(std::string_view list, std::string_view word) {
  return !word.empty() && list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

/// "source_node_id" and "node1" without the words for a vertex: "source", "1".
std::string_view withoutVertex(std::string_view word) {
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const std::string_view part : kVertex) {
      if (word.size() <= part.size()) continue;
      if (word.ends_with(part))
        word.remove_suffix(part.size());
      else if (word.starts_with(part))
        word.remove_prefix(part.size());
      else
        continue;
      shorter = true;
    }
  }
  return word;
}

/// Of U+00E0 to U+00FF; blank: it stays.
constexpr std::string_view kWithoutAccents = "aaaaaa  eeeeiiii nooooo ouuuuy y";

/// A letter of two bytes in lower case.
unsigned lowered(unsigned code) {
  if (code >= 0xC0 && code <= 0xDE && code != 0xD7) return code + 0x20;
  if (code >= 0x391 && code <= 0x3A9) return code + 0x20;
  if (code >= 0x410 && code <= 0x42F) return code + 0x20;
  if (code >= 0x400 && code <= 0x40F) return code + 0x50;
  return code;
}

/// Letters in lower case and without accents, where a byte or two make one.
std::string foldedLetters(std::string_view text) {
  std::string folded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xE0) != 0xC0 || i + 1 == text.size()) {
      folded += static_cast<char>(byte < 128 ? std::tolower(byte) : byte);
      continue;
    }
    const unsigned code = lowered((byte & 31U) << 6 | (static_cast<unsigned char>(text[++i]) & 63U));
    if (code == 0xDF)
      folded += "ss";
    else if (code == 0xE7)
      folded += 'c';
    else if (code == 0x451)
      folded += "е";  // ё
    else if (code >= 0xE0 && code <= 0xFF && kWithoutAccents[code - 0xE0] != ' ')
      folded += kWithoutAccents[code - 0xE0];
    else
      (folded += static_cast<char>(0xC0 | code >> 6)) += static_cast<char>(0x80 | (code & 63));
  }
  return folded;
}

}  // namespace

std::span<const EndNames> certainEnds() { return kCertain; }
std::span<const EndNames> pairedEnds() { return kPaired; }
std::span<const EndNames> leadingEnds() { return kLeading; }

NameParts::NameParts(std::string_view name) {
  enum class Kind { other, small, large, digit };
  const auto kindOf = [](unsigned char c) {
    return c > 127 || std::islower(c) ? Kind::small
           : std::isupper(c)          ? Kind::large
           : std::isdigit(c)          ? Kind::digit
                                      : Kind::other;
  };
  Kind before = Kind::other;
  for (const char c : name) {
    const Kind kind = kindOf(static_cast<unsigned char>(c));
    const bool goesOn = kind == before || (before == Kind::large && kind == Kind::small);
    if (kind != Kind::other && !goesOn) words.emplace_back();
    if (kind != Kind::other) words.back() += c;
    before = kind;
  }
  for (std::string& word : words) plain += word = foldedLetters(word);
  core = withoutVertex(plain);
}

bool NameParts::is(std::string_view list) const { return holds(list, core) || holds(list, plain); }

bool NameParts::says(std::string_view list) const {
  const auto sized = [&](const std::string& word) { return word.size() > 1 && holds(list, word); };
  return sized(core) || sized(plain) || std::ranges::any_of(words, sized);
}

bool namesAttribute(const NameParts& name) {
  if (holds(kAttributes, name.core)) return true;
  auto last = name.words.rbegin();
  while (last != name.words.rend() && (*last == "id" || *last == "index" || *last == "idx")) ++last;
  return last != name.words.rend() && holds(kAttributes, *last);
}

bool namesIndex(const NameParts& name) {
  const bool ofVertex = std::ranges::find(kVertex, name.core) != std::end(kVertex);  // node_id
  return name.plain.empty() || holds(kIndices, name.plain) || (!ofVertex && holds(kIndices, name.core));
}

}  // namespace halo
