#pragma once

#include <vector>

namespace halo {

/// What one chunk of vertices takes in one pass (a layer's forward or backward), in seconds.
struct ChunkTimes {
  double gather = 0;   // on its graph server
  double apply = 0;    // on one tensor worker
  double scatter = 0;  // on its graph server's link
};

/// Graph servers, each with chunks of vertices that go through gather, apply and scatter of every pass. Each
/// also has tensor workers of its own (Dorylus: resources/manual/reference/methods/dorylus.md).
struct PipelineRequest {
  std::vector<std::vector<ChunkTimes>> servers;  // by server and pass
  int chunks = 1;                                // of each server
  int tensorWorkers = 1;                         // of each server
  int asynchrony = 0;                            // epochs that a chunk may be ahead of the last one
  int epochs = 1;
};

struct PipelineTimes {
  std::vector<double> finished;  // by epoch: when the last chunk was through with it
  double applySeconds = 0;       // of all tensor workers together, over all epochs
  int mostAhead = 0;             // of a chunk that began an epoch, over the last one
  /// Of an epoch once the pipeline is full: the mean of the second half.
  double epochSeconds() const;
};

/// What happens when, deterministic. Each server gathers one chunk at a time and sends one at a time, in the
/// order in which they are ready. Each of its tensor workers has one. With asynchrony s a chunk begins pass p
/// of epoch e once every chunk is through pass p − 1 of epoch e − s. It begins epoch e once every chunk is
/// through epoch e − s − 1: s = 0 is synchronous.
PipelineTimes simulatePipeline(const PipelineRequest& request);

}  // namespace halo
