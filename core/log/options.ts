// The options of the log.

import { choice, choiceOrNone, listOf } from '../options/option-kinds.ts'
import type { SettingsOf } from '../options/option-values.ts'

/** The log types that can be switched off. */
export const configurableLogTypes = [
  'startup',
  'query-log',
  'http-log',
  'webhook-log',
  'websocket-log',
  'livequery-poller-log',
  'action-handler-log',
] as const

/** Log types of later engines, which deployments for these name. No line has them, or it cannot be switched off. */
const laterLogTypes = ['execution-log', 'data-connector-log', 'jwk-refresh-log', 'validate-input-log'] as const

/** A property's name is the option's key in the configuration file. */
export const logOptions = {
  enabledLogTypes: listOf(
    [...configurableLogTypes, ...laterLogTypes],
    ['startup', 'http-log', 'webhook-log', 'websocket-log'],
    {
      flag: 'enabled-log-types',
      variable: 'ENABLED_LOG_TYPES',
      placeholder: 'NAMES',
      refusal: `Valid list of comma-separated log types: ${JSON.stringify(configurableLogTypes)}`,
      description: `kinds of log lines to write, of ${configurableLogTypes.join(', ')}`,
    },
  ),
  logLevel: choice(['debug', 'info', 'warn', 'error'], 'info', {
    flag: 'log-level',
    variable: 'LOG_LEVEL',
    placeholder: 'LEVEL',
    refusal: 'Valid log levels: debug, info, warn or error',
    description: 'lowest level of log lines to write: debug, info, warn or error',
  }),
  logFormat: choiceOrNone(['json', 'pretty'], {
    flag: 'log-format',
    variable: 'LOG_FORMAT',
    placeholder: 'FORMAT',
    description: 'format of log lines: json, or pretty for people; by default pretty on a terminal, else json',
  }),
}

/** The values of these options. */
export type LogSettings = SettingsOf<typeof logOptions>
