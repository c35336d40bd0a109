// URLs with variables of the environment in them: `https://{{HOST}}/hook`.

import { badRequest } from '../../sdk/index.ts'

const variable = /\{\{([^{}]*)\}\}/g

/** The URL with the values of its variables; refuses those that are not set. */
export function fillTemplate(template: string, environment: (name: string) => string | undefined): string {
  const missing: string[] = []
  const filled = template.replace(variable, (_, name: string) => {
    const value = environment(name.trim())
    if (value === undefined) missing.push(name.trim())
    return value ?? ''
  })
  if (missing.length === 0) return filled
  const names = [...new Set(missing)].join(', ')
  throw badRequest('unexpected', `Value for environment variables not found: ${names}`)
}
