#include "app/program/failure.h"

#include <filesystem>
#include <new>
#include <system_error>

#include "engine/base/address_limit.h"
#include "engine/base/no_room.h"
#include "engine/base/problem.h"
#include "engine/record/database/database.h"

namespace halo {
namespace {

template <class Error>
bool is(const std::exception& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

}  // namespace

Failure failureOf(const std::exception& error) {
  if (is<InputError>(error)) return {kWrongInput, error.what()};
  if (const auto* record = dynamic_cast<const RecordError*>(&error))
    return {record->exitStatus(), error.what()};
  if (is<DamagedInput>(error)) return {kDamaged, error.what()};
  if (is<EnvironmentError>(error)) return {kEnvironment, error.what()};
  if (const auto* path = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return {kEnvironment, path->path1().string() + ": cannot be used: " + path->code().message() +
                              "; see that the path is right and allowed to you"};
  if (is<std::bad_alloc>(error)) {
    const std::string limit = addressLimitText();
    return {kEnvironment,
            std::string("memory does not suffice") +
                (limit.empty() ? "; take a smaller dataset.scale or a machine with more" : ": " + limit)};
  }
  if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    const std::error_code why = system->code();
    const bool bySystem =
        why.category() == std::generic_category() || why.category() == std::system_category();
    if (bySystem && isNoRoom(why.value()))
      return {kEnvironment, std::string(error.what()) + "; " + roomRemedy(why.value())};
  }
  return {kFailed, error.what()};
}

}  // namespace halo
