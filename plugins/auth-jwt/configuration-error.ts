/** Why tokens cannot be verified with what was configured, worded for whoever starts the server. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
