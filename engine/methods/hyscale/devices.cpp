#include "engine/methods/hyscale/devices.h"

#include <map>
#include <mutex>

#include "engine/base/index.h"
#include "engine/methods/hyscale/card_trainer.h"
#include "engine/methods/hyscale/part_trainer.h"

namespace halo::hyscale {

std::vector<std::unique_ptr<Device>> makeDevices(const WorkerParts& worker, const Topology& topology,
                                                 const BatchSettings& batches, const NodeSettings& node) {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::make_unique<PartTrainer>(worker, topology, batches));
  if (node.openCl) {
    const OpenClLibrary library;
    const std::vector<OpenClDeviceInfo> cards = library.matching(node.openClName);
    for (int card = 0; card < node.platform.cards; ++card)
      devices.push_back(
          std::make_unique<CardTrainer>(worker, topology, batches, library, cards[at(card) % cards.size()]));
  }
  while (std::ssize(devices) < node.trainers())
    devices.push_back(std::make_unique<PartTrainer>(worker, topology, batches));
  return devices;
}

std::string whyNoCards(const std::string& part) {
  // asked for every run of a sweep, more than once, and building kernels takes a second
  static std::mutex mutex;
  static std::map<std::string, std::string> answers;
  const std::lock_guard lock(mutex);
  if (const auto answer = answers.find(part); answer != answers.end()) return answer->second;
  std::string why;
  try {
    const OpenClLibrary library;
    for (const OpenClDeviceInfo& info : library.matching(part)) OpenClDevice(library, info);
  } catch (const EnvironmentError& error) {
    why = error.what();
  }
  return answers[part] = why;
}

}  // namespace halo::hyscale
