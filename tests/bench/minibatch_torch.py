#!/usr/bin/python3
"""Mini-batches in plain PyTorch, on blocks that minibatch_bench wrote:  minibatch_torch.py FILE THREADS EPOCHS

Layers of  H <- relu(H[targets] W_self + mean(H[sources]) W_neighbour + b), Adam, cross entropy. Two ways to
sum over neighbours, of which the faster counts: torch.sparse.mm on CSR with the transposed made beside the
clock, and F.embedding_bag. Features are gathered within an epoch, as ours are. Last line: epoch_s SECONDS.
"""
import os
import sys
import time

path, threads, epochs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")
torch.set_num_threads(threads)
torch.manual_seed(0)
F = torch.nn.functional

with open(path, "rb") as file:
    width, hidden, classes, layers, vertices, batches = (int(x) for x in np.fromfile(file, np.int64, 6))
    labels = torch.from_numpy(np.fromfile(file, np.int32, vertices).astype(np.int64))
    read = []
    for _ in range(batches):
        sizes = [int(x) for x in np.fromfile(file, np.int64, layers + 1)]
        ids = torch.from_numpy(np.fromfile(file, np.int32, sizes[0]).astype(np.int64))
        blocks = []
        for l in range(1, layers + 1):
            offsets = np.fromfile(file, np.int64, sizes[l] + 1)
            blocks.append((offsets, np.fromfile(file, np.int32, int(offsets[-1])).astype(np.int64)))
        read.append((sizes, ids, blocks))
X = torch.randn(vertices, width)


def matrices(sizes, l, block):
    offsets, columns = block
    degrees = np.maximum(offsets[1:] - offsets[:-1], 1)
    values = np.repeat(1.0 / degrees, offsets[1:] - offsets[:-1]).astype(np.float32)
    rows = np.repeat(np.arange(sizes[l]), offsets[1:] - offsets[:-1])
    columns = columns[np.lexsort((columns, rows))]  # PyTorch takes sorted rows alone
    order = np.argsort(columns, kind="stable")
    back = np.zeros(sizes[l - 1] + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=sizes[l - 1]), out=back[1:])
    csr = lambda o, c, v, shape: torch.sparse_csr_tensor(
        torch.from_numpy(o), torch.from_numpy(c), torch.from_numpy(v), shape)
    return (csr(offsets, columns, values, (sizes[l], sizes[l - 1])),
            csr(back, rows[order], values[order], (sizes[l - 1], sizes[l])))


class Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx, matrix, transposed, H):
        ctx.transposed = transposed
        return torch.sparse.mm(matrix, H)

    @staticmethod
    def backward(ctx, gradient):
        return None, None, torch.sparse.mm(ctx.transposed, gradient.contiguous())


def by_products(sizes, blocks):
    pairs = [matrices(sizes, l + 1, block) for l, block in enumerate(blocks)]
    return [lambda H, pair=pair: Multiply.apply(pair[0], pair[1], H) if H.requires_grad
            else torch.sparse.mm(pair[0], H) for pair in pairs]


def by_bags(sizes, blocks):
    pairs = [(torch.from_numpy(c), torch.from_numpy(o[:-1].copy())) for o, c in blocks]
    return [lambda H, pair=pair: F.embedding_bag(pair[0], H, pair[1], mode="mean") for pair in pairs]


def epoch_seconds(way):
    ready = [(sizes, ids, way(sizes, blocks)) for sizes, ids, blocks in read]
    widths = [width] + [hidden] * (layers - 1) + [classes]
    net = torch.nn.ModuleList(
        torch.nn.ModuleList([torch.nn.Linear(a, b), torch.nn.Linear(a, b, bias=False)])
        for a, b in zip(widths, widths[1:]))
    step = torch.optim.Adam(net.parameters(), lr=0.01)
    taken = []
    for epoch in range(epochs + 1):
        begin = time.perf_counter()
        for sizes, ids, sums in ready:
            H = X[ids]
            for l, layer in enumerate(net):
                H = layer[0](H[:sizes[l + 1]]) + layer[1](sums[l](H))
                if l + 1 < layers:
                    H = torch.relu(H)
            step.zero_grad()
            F.cross_entropy(H, labels[ids[:sizes[layers]]]).backward()
            step.step()
        if epoch > 0:  # the first warms up
            taken.append(time.perf_counter() - begin)
    return sorted(taken)[len(taken) // 2]


A = torch.randn(2048, 2048)
begin = time.perf_counter()
A @ A
print(f"dense products: {2 * 2048**3 / 1e9 / (time.perf_counter() - begin):.0f} GFLOPS; below 20 install libopenblas0",
      flush=True)
seconds = {name: epoch_seconds(way) for name, way in (("sparse.mm", by_products), ("embedding_bag", by_bags))}
for name, value in seconds.items():
    print(f"{name} {value:.3f} s an epoch", flush=True)
print(f"epoch_s {min(seconds.values()):.6f}", flush=True)
