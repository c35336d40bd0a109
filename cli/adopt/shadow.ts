// `trellis adopt FILE --shadow URL`: recorded requests, answered by another server and by this one.

import { existsSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Call, Outcome } from '../command.ts'
import { Failure } from '../exits.ts'
import { bytesOfFile } from '../text-file.ts'
import { otherServer } from './given.ts'
import { type RecordedRequest, readRecording } from './recorded.ts'
import { type Compared, type Replay, replay } from './replay.ts'

/** Replays the file that the word of the call names. */
export async function shadow(call: Call, url: string): Promise<Outcome> {
  const { flags, words, io } = call
  if (flags['apply'] === true) throw new Failure('usage', '--apply and --shadow do not fit: give one of them')
  const file = resolve(io.cwd, words[0]!)
  if (!existsSync(file)) throw new Failure('usage', `${words[0]}: there is no such file`)
  const recording = readRecording(basename(file), bytesOfFile(file, words[0]!).toString('utf8'))
  const withMutations = flags['with-mutations'] === true
  const wanted = recording.requests.filter(({ kind }) => withMutations || kind === 'query')
  const ours = await call.target()
  if (!ours.isTrellis) throw new Failure('usage', 'adopt needs a server of Trellis as its target')
  const mutations = wanted.filter(({ kind }) => kind === 'mutation').length
  const theirs = await otherServer(call, url)
  try {
    if (mutations > 0) await call.consent(`the mutations of ${words[0]} will change rows of ${new URL(url).host}.`)
    const done = await replay(wanted, { ours, theirs, io })
    const left = new Map([...recording.left, ...done.left])
    const unsent = recording.requests.length - wanted.length
    if (unsent > 0) left.set('they are mutations, which --with-mutations replays', unsent)
    if (mutations > 0) call.changed(`mutations on ${new URL(url).host}`)
    return outcomeOf(call, { compared: done.compared, left })
  } finally {
    await theirs.close()
  }
}

function outcomeOf(call: Call, done: Replay): Outcome {
  const differing = done.compared.filter(({ verdict }) => verdict === 'differs')
  const text = textOf(done)
  const file = call.flags['report']
  if (typeof file === 'string') {
    writeFileSync(resolve(call.io.cwd, file), text)
    call.changed(`wrote ${file}`)
  }
  const shown = { text: typeof file === 'string' ? '' : text, data: dataOf(done) }
  if (differing.length === 0) return shown
  return { ...shown, problems: [`different answers: ${differing.length}`], exit: 'differences' }
}

const countOf = ({ compared }: Replay, verdict: Compared['verdict']): number =>
  compared.filter((each) => each.verdict === verdict).length

const roleOf = ({ session }: RecordedRequest): string => session?.['role'] ?? 'nobody'

function dataOf(done: Replay) {
  return {
    same: countOf(done, 'same'),
    same_refused: done.compared.filter(({ verdict, isRefused }) => verdict === 'same' && isRefused).length,
    reordered: countOf(done, 'reordered'),
    differing: done.compared.flatMap(({ request, verdict, differences, count }) => {
      const { place, kind, name } = request
      return verdict === 'differs' ? [{ place, role: roleOf(request), kind, name, count, differences }] : []
    }),
    left: [...done.left].map(([reason, count]) => ({ reason, count })),
  }
}

const none = 'nothing'

/** The replay as text. */
function textOf(done: Replay): string {
  const differing = done.compared.flatMap(({ request, verdict, differences, count }) => {
    if (verdict !== 'differs') return []
    const head = `differs      ${request.place}: ${request.kind} ${request.name} as ${roleOf(request)}\n`
    const lines = differences.map(({ path, theirs = none, ours = none }) => {
      return `             ${path}: theirs ${theirs}, ours ${ours}\n`
    })
    const more = count > differences.length ? [`             and ${count - differences.length} more\n`] : []
    return [head, ...lines, ...more]
  })
  const left = [...done.left].map(([reason, count]) => `left out     ${count}: ${reason}\n`)
  const reordered = countOf(done, 'reordered')
  const refused = done.compared.filter(({ verdict, isRefused }) => verdict === 'same' && isRefused).length
  return [
    ...differing,
    `same         ${countOf(done, 'same')}${refused > 0 ? `, ${refused} of them refused` : ''}\n`,
    ...(reordered > 0 ? [`reordered    ${reordered}: lists without order_by have another order\n`] : []),
    ...left,
  ].join('')
}
