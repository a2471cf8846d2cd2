/** Linear algebra on matrices that are stored row after row in one array. */

/** Share of a column's square that must be left beside earlier columns for it to count as its own. */
const NEGLIGIBLE = 1e-10;

/**
 * Makes the columns of a matrix, stored row after row, orthonormal: the Gram matrix is decomposed
 * (Cholesky) and every row solved against it, so that memory is read in order. A column that depends
 * on earlier ones becomes zero.
 */
export function orthonormalise(matrix: Float64Array, height: number, width: number): void {
  const factor = new Float64Array(width * width);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const value = matrix[row * width + column] ?? 0;
      if (value !== 0) addScaled(factor, column * width, matrix, row * width, column + 1, value);
    }
  }
  decompose(factor, width);
  for (let row = 0; row < height; row += 1) solveRow(matrix, row * width, factor, width);
}

/** Cholesky in place: the lower triangle L with L × Lᵀ = the given symmetric matrix. */
function decompose(matrix: Float64Array, width: number): void {
  for (let row = 0; row < width; row += 1) {
    const original = matrix[row * width + row] ?? 0;
    for (let column = 0; column <= row; column += 1) {
      let value = matrix[row * width + column] ?? 0;
      for (let at = 0; at < column; at += 1) {
        value -= (matrix[row * width + at] ?? 0) * (matrix[column * width + at] ?? 0);
      }
      if (column === row) {
        matrix[row * width + row] = value > NEGLIGIBLE * original ? Math.sqrt(value) : 0;
      } else {
        const pivot = matrix[column * width + column] ?? 0;
        matrix[row * width + column] = pivot > 0 ? value / pivot : 0;
      }
    }
  }
}

/** Replaces a row x by the y with L × y = x. */
function solveRow(matrix: Float64Array, start: number, factor: Float64Array, width: number): void {
  for (let column = 0; column < width; column += 1) {
    let value = matrix[start + column] ?? 0;
    for (let at = 0; at < column; at += 1) {
      value -= (factor[column * width + at] ?? 0) * (matrix[start + at] ?? 0);
    }
    const pivot = factor[column * width + column] ?? 0;
    matrix[start + column] = pivot > 0 ? value / pivot : 0;
  }
}

/** Adds `factor` times `width` values of the source to the target, each from its own position. */
export function addScaled(
  target: Float64Array,
  targetAt: number,
  source: Float64Array,
  sourceAt: number,
  width: number,
  factor: number,
): void {
  for (let at = 0; at < width; at += 1) {
    target[targetAt + at] = (target[targetAt + at] ?? 0) + factor * (source[sourceAt + at] ?? 0);
  }
}
