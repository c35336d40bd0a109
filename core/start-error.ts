/** A reason why the server cannot start, worded for the person who starts it: one line that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
