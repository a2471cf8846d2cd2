/** Prints the one closing line that CI reads, counted from Jest's own results. */
export default class ClosingLineReporter {
  #empty = false;

  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    this.#empty = results.numTotalTests === 0;
    console.log(
      `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    );
  }

  getLastError() {
    return this.#empty ? new Error('no test was run') : undefined;
  }
}
