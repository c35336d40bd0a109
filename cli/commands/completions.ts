// `trellis completions`

import type { Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { commandNames } from '../names.ts'

/** The second words by first word. */
function words(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>([['serve', []]])
  for (const { name } of commandNames) {
    const [first = '', second] = name.split(' ')
    found.set(first, [...(found.get(first) ?? []), ...(second === undefined ? [] : [second])])
  }
  return found
}

function bash(): string {
  const cases = [...words()].filter(([, list]) => list.length > 0)
  const lines = cases.map(
    ([first, list]) => `    ${first}) COMPREPLY=($(compgen -W "${list.join(' ')}" -- "$word")) ;;`,
  )
  return `_trellis() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...words().keys()].join(' ')}" -- "$word"))
    return
  fi
  if [ "$COMP_CWORD" -gt 2 ]; then COMPREPLY=($(compgen -f -- "$word")); return; fi
  case "\${COMP_WORDS[1]}" in
${lines.join('\n')}
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -F _trellis trellis
`
}

function zsh(): string {
  const cases = [...words()].filter(([, list]) => list.length > 0)
  const lines = cases.map(([first, list]) => `    ${first}) compadd -- ${list.join(' ')} ;;`)
  return `#compdef trellis
_trellis() {
  if (( CURRENT == 2 )); then compadd -- ${[...words().keys()].join(' ')}; return; fi
  if (( CURRENT > 3 )); then _files; return; fi
  case "\${words[2]}" in
${lines.join('\n')}
    *) _files ;;
  esac
}
compdef _trellis trellis
`
}

function fish(): string {
  const first = [...words().keys()].map((word) => `complete -c trellis -n __fish_use_subcommand -f -a ${word}`)
  const second = [...words()].flatMap(([word, list]) => {
    if (list.length === 0) return []
    const names = list.join(' ')
    const isNext = `__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${names}`
    return [`complete -c trellis -n "${isNext}" -f -a "${names}"`]
  })
  return `${[...first, ...second].join('\n')}\n`
}

const shells: Readonly<Record<string, () => string>> = { bash, zsh, fish }

export const command: Command = {
  words: 'bash|zsh|fish',
  count: [1, 1],
  details:
    'Prints completions: source <(trellis completions bash), or a file in the folder of completions of your shell.',
  async run({ words: [shell = ''] }) {
    if (!Object.hasOwn(shells, shell)) throw new Failure('usage', `"${shell}" is not bash, zsh or fish`)
    return { text: shells[shell]!() }
  },
}
