// The seeds of a project: files of SQL, each one transaction.

import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Call } from '../command.ts'
import { Failure } from '../exits.ts'
import type { Target } from '../target/target.ts'
import { textOfFile } from '../text-file.ts'

/** The files in their order, or those that words name. */
function filesOf({ project, words, io }: Call, isNamed: boolean): readonly string[] {
  const folder = project.version === 2 ? project.seeds : join(project.seeds, project.source)
  if (isNamed) {
    return words.map((word) => {
      const path = [join(folder, word), resolve(io.cwd, word)].find(existsSync)
      if (path === undefined) throw new Failure('failed', `${word}: there is no such file, also not in ${folder}`)
      return path
    })
  }
  if (!existsSync(folder)) throw new Failure('failed', `${folder}: there are no seeds`)
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => join(folder, name))
}

/** Runs the seeds, and returns how many there were. */
export async function runSeeds(call: Call, target: Target, isNamed = false): Promise<number> {
  const files = filesOf(call, isNamed)
  for (const file of files) {
    await target.sql(textOfFile(file), { file })
    call.changed(`ran ${file}`)
  }
  return files.length
}
