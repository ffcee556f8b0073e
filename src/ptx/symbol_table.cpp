// Open addressing with linear probing; a range "%r" is stored under its prefix with a hash of its own.
#include "ptx/symbol_table.h"

#include <cstring>
#include <utility>

namespace ww::ptx {

namespace {

constexpr uint64_t kRangeSalt = 0x9e3779b97f4a7c15u;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

uint64_t hash_name(std::string_view name) {
  uint64_t hash = name.size() * 0x9e3779b97f4a7c15u;
  const char* at = name.data();
  size_t left = name.size();
  while (left >= 8) {
    uint64_t chunk;
    std::memcpy(&chunk, at, 8);
    hash = (hash ^ chunk) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
    at += 8;
    left -= 8;
  }
  uint64_t chunk = 0;
  std::memcpy(&chunk, at, left);
  hash = (hash ^ chunk) * 0xc4ceb9fe1a85ec53u;
  return hash ^ hash >> 29;
}

SymbolTable::SymbolTable() : slots_(64) {}

uint32_t SymbolTable::slot_of(std::string_view name, uint64_t hash) const {
  const auto mask = static_cast<uint32_t>(slots_.size() - 1);
  auto at = static_cast<uint32_t>(hash) & mask;
  while (slots_[at].used && !(slots_[at].hash == hash && slots_[at].name == name)) at = (at + 1) & mask;
  return at;
}

void SymbolTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  std::vector<uint32_t> moved(old.size());
  used_slots_ = 0;
  for (size_t i = 0; i < old.size(); ++i) {
    if (!old[i].used || old[i].entry == kNone) continue;  // names that no scope holds any more are dropped
    const uint32_t at = slot_of(old[i].name, old[i].hash);
    slots_[at] = old[i];
    moved[i] = at;
    ++used_slots_;
  }
  for (Entry& entry : entries_) entry.slot = moved[entry.slot];
}

void SymbolTable::enter_scope() {
  scopes_.push_back(static_cast<uint32_t>(entries_.size()));
}

void SymbolTable::leave_scope() {
  const uint32_t first = scopes_.back();
  scopes_.pop_back();
  while (entries_.size() > first) {
    const Entry& entry = entries_.back();
    slots_[entry.slot].entry = entry.shadowed;
    if (entry.symbol.kind == SymbolKind::kRegister && is_digit(entry.name.back())) --plain_with_digits_;
    entries_.pop_back();
  }
}

bool SymbolTable::declare(std::string_view name, Symbol symbol) {
  const bool range = symbol.kind == SymbolKind::kRegisterRange;
  if ((used_slots_ + 1) * 2 > slots_.size()) grow();
  const uint64_t hash = hash_name(name) ^ (range ? kRangeSalt : 0);
  const uint32_t at = slot_of(name, hash);
  Slot& slot = slots_[at];
  if (slot.used && slot.entry != kNone && entries_[slot.entry].depth == depth()) return false;
  if (!slot.used) {
    slot = {hash, name, kNone, true};
    ++used_slots_;
  }
  if (symbol.kind == SymbolKind::kRegister && is_digit(name.back())) ++plain_with_digits_;
  entries_.push_back({name, symbol, at, slot.entry, depth()});
  slot.entry = static_cast<uint32_t>(entries_.size() - 1);
  return true;
}

bool SymbolTable::declare_outside(std::string_view name, Symbol symbol) {
  std::vector<std::pair<std::string_view, Symbol>> inner;
  for (size_t i = scopes_.back(); i < entries_.size(); ++i) inner.emplace_back(entries_[i].name, entries_[i].symbol);
  leave_scope();
  const bool declared = declare(name, symbol);
  enter_scope();
  for (const auto& [inner_name, inner_symbol] : inner) declare(inner_name, inner_symbol);
  return declared;
}

const SymbolTable::Entry* SymbolTable::lookup(std::string_view name, bool range) const {
  const Slot& slot = slots_[slot_of(name, hash_name(name) ^ (range ? kRangeSalt : 0))];
  return slot.used && slot.entry != kNone ? &entries_[slot.entry] : nullptr;
}

const Symbol* SymbolTable::find(std::string_view name, uint32_t& offset) const {
  offset = 0;
  const Entry* best = nullptr;
  if (is_digit(name.back())) {
    // Every split of the trailing digits into prefix and number is tried, the longest number first.
    size_t prefix = name.size();
    while (prefix > 1 && is_digit(name[prefix - 1]) && name.size() - prefix < 9) --prefix;
    for (; prefix < name.size(); ++prefix) {
      if (name[prefix] == '0' && prefix + 1 != name.size()) continue;
      const Entry* entry = lookup(name.substr(0, prefix), true);
      if (!entry || (best && best->depth >= entry->depth)) continue;
      uint32_t number = 0;
      for (const char c : name.substr(prefix)) number = number * 10 + static_cast<uint32_t>(c - '0');
      if (number >= entry->symbol.count) continue;
      best = entry;
      offset = number;
      if (plain_with_digits_ == 0) return &entry->symbol;
    }
  }
  const Entry* plain = lookup(name, false);
  if (plain && (!best || plain->depth > best->depth)) {
    best = plain;
    offset = 0;
  }
  return best ? &best->symbol : nullptr;
}

bool SymbolTable::in_range_of_scope(std::string_view name) const {
  for (size_t prefix = name.size(); prefix > 1 && is_digit(name[prefix - 1]) && name.size() - prefix < 9;) {
    --prefix;
    if (name[prefix] == '0' && prefix + 1 != name.size()) continue;
    const Entry* entry = lookup(name.substr(0, prefix), true);
    if (!entry || entry->depth != depth()) continue;
    uint32_t number = 0;
    for (const char c : name.substr(prefix)) number = number * 10 + static_cast<uint32_t>(c - '0');
    if (number < entry->symbol.count) return true;
  }
  return false;
}

const Symbol* SymbolTable::find_in_scope(std::string_view name) const {
  const Entry* entry = lookup(name, false);
  return entry && entry->depth == depth() ? &entry->symbol : nullptr;
}

}  // namespace ww::ptx
