/** The reason why the server cannot start, for its operator: one line that says how to fix it. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
}

/** A wrong value of an option, found by the plugin that declares it. */
export class OptionRefusal extends StartError {
  override readonly name = 'OptionRefusal'
  /** The key of the option. The caller adds the file in which it is set. */
  readonly option: string
  readonly reason: string

  /** `names`: the flag and its environment variable. */
  constructor(option: string, names: string, reason: string) {
    super(`${names}: ${reason}`)
    this.option = option
    this.reason = reason
  }
}
