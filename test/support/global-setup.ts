/** Starts what the tests need before the first of them runs. */
export default function globalSetup(): void {}
