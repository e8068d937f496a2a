#include "engine/kernels/opencl/opencl_kernels.h"

#include <string>

namespace halo {

// Matrices are dense and row-major, sparse ones compressed by rows, as on the host. Numbers of rows and
// columns are ints; places in a matrix are size_t, for a matrix may have more elements than an int counts.
// Every sum is taken in an order that the shapes alone decide, so a device gives the same bits each time.
const char* const kCardKernelSource = R"opencl(
#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#else
typedef float real;
#endif

#define ELEMENT(row, width, column) ((size_t)(row) * (size_t)(width) + (size_t)(column))

// Groups that share out rows and columns are all in dimension 0, side by side along the columns first. Some devices
// count no more than 65535 of them in another dimension. The group's place, where each takes `size` of `width` columns:
int groupAcross(const int width, const int size) { return get_group_id(0) % ((width + size - 1) / size); }
int groupDown(const int width, const int size) { return get_group_id(0) / ((width + size - 1) / size); }
// An item's column of `width` and its row, where each has a place of its own.
int columnOfItem(const int width) {
  return groupAcross(width, get_local_size(0)) * get_local_size(0) + get_local_id(0);
}
int rowOfItem(const int width) {
  return groupDown(width, get_local_size(0)) * get_local_size(1) + get_local_id(1);
}

// ---- sums over neighbours: Z = A Y, or Z += A Y -------------------------------------------------------------
//
// A: offsets, columns, values (null: every value is 1)    Y (m x width)    Z (rows x width)

// A work-item an element. Neighbouring items take neighbouring columns, so that they read a row of Y together.
kernel void aggregateRows(const int rows, const int width, global const int* offsets,
                          global const int* columns, global const real* values, global const real* Y,
                          const int add, global real* Z) {
  const int column = columnOfItem(width), row = rowOfItem(width);
  if (column >= width || row >= rows) return;
  const int begin = offsets[row], end = offsets[row + 1];
  if (end - begin > HUB) return;  // aggregateHubs has it
  real sum = 0;
  if (values) {
    for (int e = begin; e < end; ++e) sum += values[e] * Y[ELEMENT(columns[e], width, column)];
  } else {
    for (int e = begin; e < end; ++e) sum += Y[ELEMENT(columns[e], width, column)];
  }
  const size_t place = ELEMENT(row, width, column);
  Z[place] = add ? Z[place] + sum : sum;
}

// A work-group for HUB_COLUMNS columns of a row of many entries: its lanes share the entries, and the first lane
// adds up what they have.
kernel void aggregateHubs(const int width, global const int* hubs, global const int* offsets,
                          global const int* columns, global const real* values, global const real* Y,
                          const int add, global real* Z) {
  local real sums[HUB_LANES][HUB_COLUMNS];
  const int across = get_local_id(0), lane = get_local_id(1);
  const int column = columnOfItem(width), row = hubs[groupDown(width, HUB_COLUMNS)];
  const int end = offsets[row + 1];
  real sum = 0;
  if (column < width)
    for (int e = offsets[row] + lane; e < end; e += HUB_LANES)
      sum += (values ? values[e] : (real)1) * Y[ELEMENT(columns[e], width, column)];
  sums[lane][across] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane > 0 || column >= width) return;
  for (int other = 1; other < HUB_LANES; ++other) sum += sums[other][across];
  const size_t place = ELEMENT(row, width, column);
  Z[place] = add ? Z[place] + sum : sum;
}

// ---- dense products -----------------------------------------------------------------------------------------
//
// C (m x n) = op(A) op(B), or C += op(A) op(B), with bias (null, or n elements) added to each row.
// depth: what is summed over. A work-group of EDGE x EDGE items makes SIDE x SIDE elements of C. It goes EDGE steps
// of the depth at a time, and copies SIDE x EDGE elements of A and of B to local memory for them. Each item makes
// EACH x EACH of the products from there. Outside of a matrix stand zeros, so any shape will do.

// Where element (row, step) of op(M) stands, which is (step, row) of M where it is transposed.
#define PLACE(transposed, row, step, width) \
  ((transposed) ? ELEMENT(step, width, row) : ELEMENT(row, width, step))

// Steps [begin, begin + EDGE) of rows [first, first + SIDE) of op(M) to tile[step][row], by all items of the group.
// Neighbouring items take what lies together in memory: steps, or rows where M is transposed.
void copyTile(global const real* M, const int width, const int transposed, const int first,
                     const int rows, const int begin, const int end, local real (*tile)[SIDE + 1]) {
  const int item = get_local_id(1) * EDGE + get_local_id(0);
  for (int part = 0; part < EACH; ++part) {
    const int number = item + part * EDGE * EDGE;
    const int row = transposed ? number % SIDE : number / EDGE;
    const int step = transposed ? number / SIDE : number % EDGE;
    const int inside = first + row < rows && begin + step < end;
    tile[step][row] = inside ? M[PLACE(transposed, first + row, begin + step, width)] : (real)0;
  }
}

// The group's elements of C over steps [begin, end) of the depth. Tiles of B hold its columns as rows: `columnsB`
// says that they are columns in memory too.
void makeTile(const int m, const int n, const int begin, const int end, global const real* A,
                     const int widthA, const int transposedA, global const real* B, const int widthB,
                     const int columnsB, local real (*a)[SIDE + 1], local real (*b)[SIDE + 1],
                     global const real* bias, const int add, global real* C) {
  const int across = get_local_id(0), down = get_local_id(1);
  const int firstRow = groupDown(n, SIDE) * SIDE, firstColumn = groupAcross(n, SIDE) * SIDE;
  real sums[EACH][EACH];
  for (int i = 0; i < EACH; ++i)
    for (int j = 0; j < EACH; ++j) sums[i][j] = 0;
  for (int step = begin; step < end; step += EDGE) {
    copyTile(A, widthA, transposedA, firstRow, m, step, end, a);
    copyTile(B, widthB, columnsB, firstColumn, n, step, end, b);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < EDGE; ++k) {
      real left[EACH], right[EACH];
      for (int i = 0; i < EACH; ++i) left[i] = a[k][down + i * EDGE];
      for (int j = 0; j < EACH; ++j) right[j] = b[k][across + j * EDGE];
      for (int i = 0; i < EACH; ++i)
        for (int j = 0; j < EACH; ++j) sums[i][j] += left[i] * right[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < EACH; ++i)
    for (int j = 0; j < EACH; ++j) {
      const int row = firstRow + down + i * EDGE, column = firstColumn + across + j * EDGE;
      if (row >= m || column >= n) continue;
      const size_t place = ELEMENT(row, n, column);
      real element = sums[i][j];
      if (bias) element += bias[column];
      C[place] = add ? C[place] + element : element;
    }
}

// C = A B:   A (m x depth)  B (depth x n)
kernel void multiply(const int m, const int n, const int depth, global const real* A, global const real* B,
                     global const real* bias, const int add, global real* C) {
  local real a[EDGE][SIDE + 1], b[EDGE][SIDE + 1];
  makeTile(m, n, 0, depth, A, depth, 0, B, n, 1, a, b, bias, add, C);
}

// C = A B^T:   A (m x depth)  B (n x depth)
kernel void multiplyTransposedB(const int m, const int n, const int depth, global const real* A,
                                global const real* B, const int add, global real* C) {
  local real a[EDGE][SIDE + 1], b[EDGE][SIDE + 1];
  makeTile(m, n, 0, depth, A, depth, 0, B, depth, 0, a, b, 0, add, C);
}

// Parts of C = A^T B:   A (depth x m)  B (depth x n). Groups of chunk z, dimension 1, sum rows [z chunk, (z + 1) chunk)
// to a matrix of its own. Depth is the number of vertices here and C the size of weights, so few groups would share the
// work otherwise.
kernel void multiplyTransposedA(const int m, const int n, const int depth, const int chunk,
                                global const real* A, global const real* B, global real* parts) {
  local real a[EDGE][SIDE + 1], b[EDGE][SIDE + 1];
  const int begin = get_group_id(1) * chunk, end = min(depth, begin + chunk);
  makeTile(m, n, begin, end, A, m, 1, B, n, 1, a, b, 0, 0, parts + ELEMENT(get_group_id(1), m, 0) * n);
}

// The sum of those parts, in order: sums (size) of parts (chunks x size).
kernel void sumChunks(const int size, const int chunks, global const real* parts, global real* sums) {
  const int i = get_global_id(0);
  if (i >= size) return;
  real sum = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) sum += parts[ELEMENT(chunk, size, i)];
  sums[i] = sum;
}

// Parts of column sums of X (rows x width), or of X times Y element by element where Y is not null.
kernel void sumColumns(const int rows, const int width, const int chunk, global const real* X,
                       global const real* Y, global real* parts) {
  const int column = get_global_id(0), begin = get_global_id(1) * chunk;
  if (column >= width) return;
  const int end = min(rows, begin + chunk);
  real sum = 0;
  for (int row = begin; row < end; ++row) {
    const size_t place = ELEMENT(row, width, column);
    sum += Y ? X[place] * Y[place] : X[place];
  }
  parts[ELEMENT(get_global_id(1), width, column)] = sum;
}

// ---- element by element, of `size` elements -----------------------------------------------------------------

// A NaN stays a NaN: it must reach the loss, where the run is stopped.
kernel void relu(const ulong size, global real* X) {
  const size_t i = get_global_id(0);
  if (i < size && X[i] <= 0) X[i] = 0;
}

// dY where Y is positive, else 0.
kernel void reluBackward(const ulong size, global const real* Y, global real* dY) {
  const size_t i = get_global_id(0);
  if (i < size && !(Y[i] > 0)) dY[i] = 0;
}

// Y += factor X
kernel void scaleAdd(const ulong size, const real factor, global const real* X, global real* Y) {
  const size_t i = get_global_id(0);
  if (i < size) Y[i] += factor * X[i];
}

// ---- dropout: X in place, kept elements times `scale` ------------------------------------------------------
//
// Philox-4x32-10 (Salmon et al., SC 2011): four draws of a key and of counter (vertex, epoch, layer, block).

uint4 philox(uint key0, uint key1, uint4 counter) {
  for (int round = 0; round < 10; ++round) {
    const uint low0 = counter.x * 0xD2511F53u, high0 = mul_hi(counter.x, 0xD2511F53u);
    const uint low1 = counter.z * 0xCD9E8D57u, high1 = mul_hi(counter.z, 0xCD9E8D57u);
    counter = (uint4)(high1 ^ counter.y ^ key0, low1, high0 ^ counter.w ^ key1, low0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// An item has four columns of a row: those of a block. Draws up to `lastDropped` drop their element.
kernel void dropout(const int rows, const int width, global const int* ids, const uint key0, const uint key1,
                    const uint epoch, const uint layer, const uint lastDropped, const real scale,
                    global real* X) {
  const int blocks = (width + 3) / 4, block = columnOfItem(blocks), row = rowOfItem(blocks);
  if (row >= rows || block >= blocks) return;
  const uint4 four = philox(key0, key1, (uint4)((uint)ids[row], 0, epoch, layer | (uint)block));
  const uint draws[4] = {four.x, four.y, four.z, four.w};
  for (int i = 0; i < 4 && 4 * block + i < width; ++i) {
    const size_t place = ELEMENT(row, width, 4 * block + i);
    X[place] = draws[i] > lastDropped ? X[place] * scale : (real)0;
  }
}

// ---- LayerNorm: a work-group of NORM_ITEMS items a row -----------------------------------------------------

// The sum of all items' values, for all of them.
real sumOfGroup(const real value, local real* room) {
  const int item = get_local_id(0);
  room[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int reach = NORM_ITEMS / 2; reach > 0; reach /= 2) {
    if (item < reach) room[item] += room[item + reach];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const real sum = room[0];
  barrier(CLK_LOCAL_MEM_FENCE);  // before the room is used again
  return sum;
}

// X becomes hat = (X - mean) inverse, inverse = 1 / sqrt(variance + 1e-5); Y = scale hat + shift.
kernel void normalise(const int width, global const real* scale, global const real* shift, global real* X,
                      global real* Y, global real* inverses) {
  local real room[NORM_ITEMS];
  const size_t first = ELEMENT(get_group_id(0), width, 0);
  real sum = 0, squares = 0;
  for (int j = get_local_id(0); j < width; j += NORM_ITEMS) sum += X[first + j];
  const real mean = sumOfGroup(sum, room) / width;
  for (int j = get_local_id(0); j < width; j += NORM_ITEMS)
    squares += (X[first + j] - mean) * (X[first + j] - mean);
  const real inverse = 1 / sqrt(sumOfGroup(squares, room) / width + 1 / (real)100000);
  for (int j = get_local_id(0); j < width; j += NORM_ITEMS) {
    const real hat = (X[first + j] - mean) * inverse;
    X[first + j] = hat;
    Y[first + j] = scale[j] * hat + shift[j];
  }
  if (get_local_id(0) == 0) inverses[get_group_id(0)] = inverse;
}

// dY becomes dX = inverse (dY scale - mean(dY scale) - hat mean(dY scale hat)).
kernel void normaliseBackward(const int width, global const real* scale, global const real* hats,
                              global const real* inverses, global real* dY) {
  local real room[NORM_ITEMS];
  const size_t first = ELEMENT(get_group_id(0), width, 0);
  real sum = 0, along = 0;
  for (int j = get_local_id(0); j < width; j += NORM_ITEMS) {
    const real scaled = dY[first + j] * scale[j];
    sum += scaled;
    along += scaled * hats[first + j];
  }
  const real mean = sumOfGroup(sum, room) / width, meanDot = sumOfGroup(along, room) / width;
  const real inverse = inverses[get_group_id(0)];
  for (int j = get_local_id(0); j < width; j += NORM_ITEMS)
    dY[first + j] = inverse * (dY[first + j] * scale[j] - mean - hats[first + j] * meanDot);
}
)opencl";

std::string cardKernelOptions() {
  std::string options = sizeof(Scalar) == sizeof(double) ? "-DDOUBLES" : "";
  const auto define = [&](const char* name, Index value) {
    options += std::string(" -D") + name + "=" + std::to_string(value);
  };
  define("EDGE", CardTiles::kEdge);
  define("EACH", CardTiles::kEach);
  define("SIDE", CardTiles::kSide);
  define("HUB", CardTiles::kHub);
  define("HUB_COLUMNS", CardTiles::kHubColumns);
  define("HUB_LANES", CardTiles::kHubLanes);
  define("NORM_ITEMS", CardTiles::kNormItems);
  return options;
}

}  // namespace halo
