/** The reason why tokens cannot be verified with this configuration, worded for the administrator. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
