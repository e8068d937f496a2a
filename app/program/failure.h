#pragma once

#include <exception>
#include <string>

namespace halo {

/// The exit statuses of resources/manual/reference/commands/index.md that every program of ours has.
enum Exit { kDone = 0, kFailed = 1, kWrongInput = 2, kDamaged = 4, kEnvironment = 5 };

struct Failure {
  int status = kFailed;
  std::string message;
};

/// What a program says and ends with where nobody caught the error.
Failure failureOf(const std::exception& error);

}  // namespace halo
