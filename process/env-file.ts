// `.env` of the working directory: variables for development, which those of the process itself beat.

import { parseEnv } from 'node:util'
import { dialects } from '../core/names/dialect.ts'
import { OptionsError } from '../core/options/option-values.ts'
import { readTextFile, TextFileError } from './text-file.ts'

/** What was taken from the file. */
export interface EnvFile {
  readonly name: string
  /** The variables that have their value from it. */
  readonly variables: ReadonlySet<string>
}

const name = '.env'

/** Adds the variables of the file to those of the process; null when it is not there, or not to be read. */
export function loadEnvFile(
  variables: Record<string, string | undefined>,
  readFile: (path: string) => string | null = readTextFile,
): EnvFile | null {
  if (variables['NODE_ENV'] === 'production') return null
  const text = readEnvFile(readFile)
  if (text === null) return null
  const given = new Set(Object.keys(variables).filter((key) => variables[key] !== undefined))
  const isGiven = (key: string) => [key, ...sameSecret(key)].some((each) => given.has(each))
  const added = Object.entries(parseEnv(text)).filter(([key]) => !isGiven(key))
  for (const [key, value] of added) variables[key] = value
  return { name, variables: new Set(added.map(([key]) => key)) }
}

function readEnvFile(readFile: (path: string) => string | null): string | null {
  try {
    return readFile(name)
  } catch (error) {
    if (!(error instanceof TextFileError)) throw error
    // A directory of this name is something else, such as an environment of Python.
    if (error.code === 'EISDIR') return null
    throw new OptionsError(`Fatal Error:- File ${name} cannot be read: ${error.message}`)
  }
}

/** The other variable that gives the same secret: one that the process got in a file beats one that is written here. */
function sameSecret(key: string): readonly string[] {
  const isOption = Object.values(dialects).some(({ environmentPrefix }) => key.startsWith(environmentPrefix))
  if (!isOption) return []
  return [key.endsWith('_FILE') ? key.slice(0, -'_FILE'.length) : `${key}_FILE`]
}
