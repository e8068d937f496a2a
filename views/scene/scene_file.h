#pragma once

#include <filesystem>
#include <string>

#include "views/scene/scene.h"

namespace halo {

inline constexpr const char* kSceneEnding = ".scene.toml";

/// A scene as TOML (resources/manual/reference/scene-files.md). Recordings in the folder of `file` or below
/// it are named from there, so that the folder can be moved; others by their whole path.
std::string sceneText(const SceneState& state, const std::filesystem::path& file);
/// Throws InputError with everything that is wrong, by its place. Such faults are a text that is no TOML,
/// another version, unknown keys, values out of range, runs named twice, and more than kMostChips chips.
/// `file` says where relative recordings lie.
SceneState sceneOf(const std::string& text, const std::filesystem::path& file);

/// The file is the old or the new scene, whatever happens. Throws EnvironmentError with the system's words.
void writeScene(const SceneState& state, const std::filesystem::path& file);
/// Throws as sceneOf(), also where the file cannot be read.
SceneState readScene(const std::filesystem::path& file);

}  // namespace halo
