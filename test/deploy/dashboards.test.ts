// The dashboard and the alerts of deploy/ against the metrics of a real server.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { parse } from 'yaml'
import { startTrellis } from '../support/trellis.ts'
import { findProgram } from './programs.ts'

const folder = join(import.meta.dirname, '../../deploy')
const alertsFile = join(folder, 'prometheus/alerts.yaml')

interface Panel {
  readonly title: string
  readonly type: string
  readonly description?: string
  readonly targets?: readonly { readonly expr: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
}

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}

const dashboard = JSON.parse(readFileSync(join(folder, 'grafana/trellis.json'), 'utf8')) as Dashboard
const alerts = (
  parse(readFileSync(alertsFile, 'utf8')) as { groups: readonly { rules: readonly Alert[] }[] }
).groups.flatMap(({ rules }) => rules)

/** The names and types of the server's metrics; the samples of a histogram have names of their own. */
let known = new Set<string>()

before(async (t) => {
  const settings = { enabledApis: ['metrics', 'metadata', 'graphql'] }
  const { request } = await startTrellis(t as never, { settings })
  const { text } = await request('/v1/metrics')
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  known = new Set(
    types.flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
    ),
  )
})

/** The labels that docs/observability.md lists, and those that Prometheus adds. */
function knownLabels(): ReadonlySet<string> {
  const page = readFileSync(join(folder, '../docs/observability.md'), 'utf8')
  const cells = [...page.matchAll(/^\| `(?:service|process)_[^|]*\|([^|]*)\|/gm)].map(([, labels]) => labels!)
  const names = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, label]) => label!))
  return new Set([...names, 'job', 'instance', 'le', 'exported_job'])
}

function check(expr: string, place: string): void {
  const plain = expr.replace(/"[^"]*"/g, '""')
  const names = plain.match(/\b(?:service|process|nodejs)_\w+/g) ?? []
  if (!plain.startsWith('up{')) assert.ok(names.length > 0, place)
  for (const name of names) assert.ok(known.has(name), `${place}: ${name}`)
  const labels = knownLabels()
  const grouped = [...plain.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(',').map((each) => each.trim()),
  )
  const selected = [...plain.matchAll(/\{([^}]*)\}/g)].flatMap(([, list]) => list!.match(/\w+(?=[=!]~?)/g) ?? [])
  for (const label of [...grouped, ...selected]) assert.ok(labels.has(label), `${place}: ${label}`)
}

test('each panel of the dashboard asks for metrics that the server has', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')
  assert.ok(panels.length > 20)
  for (const { title, description, targets = [] } of panels) {
    assert.ok(description, title)
    assert.ok(targets.length > 0, title)
    for (const { expr } of targets) check(expr, title)
  }
  for (const { expr } of dashboard.annotations.list) check(expr, 'annotations')
})

test('each alert asks for metrics that the server has, and gives its reason', () => {
  for (const { alert, expr, annotations } of alerts) {
    check(expr, alert)
    assert.deepEqual(Object.keys(annotations), ['summary', 'why', 'action'], alert)
  }
})

const promtool = findProgram('promtool')

test('Prometheus accepts the alerts', { skip: promtool ? false : 'there is no promtool here' }, () => {
  execFileSync(promtool!, ['check', 'rules', alertsFile], { stdio: 'pipe' })
})
