/** A reason why the server cannot start, worded for the person who starts it: one line that says what to do. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/** A value of an option that only its plugin can judge. */
export class OptionRefusal extends StartError {
  override readonly name = 'OptionRefusal'
  /** The key of the option: whoever knows in which file it is says so. */
  readonly option: string
  readonly reason: string

  /** `names`: the flag with its variable. */
  constructor(option: string, names: string, reason: string) {
    super(`${names}: ${reason}`)
    this.option = option
    this.reason = reason
  }
}
