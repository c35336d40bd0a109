// The files of deploy/ against the program's own options, probes and timeouts. Programs that know more about them run where they
// are installed.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { liveness, readiness } from '../../plugins/health/routes.ts'
import { lateStopMillis, stopMillis } from '../../process/tuning.ts'
import { builtInOptions, parseSettings, readCommandLine } from '../support/built-in-options.ts'
import { findProgram } from './programs.ts'

const folder = join(import.meta.dirname, '../../deploy')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const chart = join(folder, 'helm/trellis')
const manifest = JSON.parse(read('../package.json')) as {
  readonly version: string
  readonly bin: { readonly trellis: string }
}

const [live, ready] = [liveness.url, readiness({} as never, () => false).url]

/** Files that variables ending in `_FILE` name, with a value for each. */
const secretFiles: Readonly<Record<string, string>> = {
  'admin-secret': 'a good secret',
  'database-url': 'postgres://user:password@postgres/app',
  'mongodb-url': 'mongodb://user:password@mongodb/trellis',
}

/** The settings of a container, read as the program reads them; fails if it would refuse or ignore a variable. */
function settingsOf(variables: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) {
  const readFile = (path: string) => files[path] ?? secretFiles[path.split('/').at(-1)!] ?? null
  const parsed = parseSettings(readCommandLine([]), { variables, readFile })
  assert.deepEqual(parsed.unknownVariables, [])
  return parsed.settings
}

/** Seconds that a server takes to end at most. */
const endSeconds = ({ shutdownDelay, gracefulShutdownTimeout }: ReturnType<typeof settingsOf>) =>
  shutdownDelay + gracefulShutdownTimeout + (stopMillis + lateStopMillis) / 1000

/** The stages of the Dockerfile by name. */
const stages = (): ReadonlyMap<string, string> =>
  new Map(
    read('Dockerfile')
      .split(/^(?=FROM )/m)
      .flatMap((text) => {
        const name = /^FROM \S+ AS (\S+)/.exec(text)?.[1]
        return name === undefined ? [] : [[name, text] as const]
      }),
  )

test('both images run the program without rights, on its port, with its probe', () => {
  for (const name of ['server', 'embedded']) {
    const text = stages().get(name)!
    const [, pairs = ''] = /^ENV (.+)$/m.exec(text)!
    const { PATH: _, NODE_ENV, ...variables } = Object.fromEntries(pairs.split(' ').map((pair) => pair.split('=')))
    assert.equal(NODE_ENV, 'production')
    const { serverPort, serverHost } = settingsOf(variables)
    assert.equal(serverHost, '*')
    assert.match(text, new RegExp(`^EXPOSE ${serverPort}$`, 'm'))
    assert.match(text, new RegExp(`SERVER_PORT \\|\\| ${serverPort}\\}${live}\``))
    assert.match(text, /^USER 10001/m)
    assert.match(text, new RegExp(`^ENTRYPOINT \\["node", "/app/${manifest.bin.trellis}"\\]$`, 'm'))
  }
  assert.match(stages().get('server')!, /^FROM scratch /, 'it has no shell and no package manager')
})

interface Service {
  readonly environment: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly stop_grace_period?: string
  readonly volumes?: readonly string[]
}

test('compose: instances, secrets, proxy and timeouts fit each other', () => {
  const { services, secrets, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly secrets: object
    readonly volumes: object
  }
  for (const name of ['first', 'second']) {
    const { environment, secrets: own = [], ...rest } = services[name]!
    const settings = settingsOf(environment)
    const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'))
    assert.deepEqual(files.map((file) => file.replace('/run/secrets/', '')).sort(), [...own].sort())
    assert.equal(services['proxy']!.environment[name.toUpperCase()], `${name}:${settings.serverPort}`)
    assert.equal(settings.trustedProxies, 1)
    assert.deepEqual([rest.read_only, rest.cap_drop], [true, ['ALL']])
    assert.ok(Number.parseInt(rest.stop_grace_period!, 10) > endSeconds(settings) - lateStopMillis / 1000)
    assert.ok(settings.shutdownDelay > secondsUntilDown())
  }
  const used = Object.values(services)
  assert.deepEqual(Object.keys(secrets).sort(), [...new Set(used.flatMap(({ secrets: own = [] }) => own))].sort())
  const named = used.flatMap(({ volumes: own = [] }) => own.map((each) => each.split(':')[0]!))
  assert.deepEqual(Object.keys(volumes).sort(), named.filter((each) => !each.startsWith('.')).sort())
  const needed = [...read('haproxy.cfg').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)
  assert.deepEqual(Object.keys(services['proxy']!.environment).sort(), needed.sort())
})

/** Seconds after which the proxy of deploy/ sends nothing to an instance that is not ready. */
function secondsUntilDown(): number {
  const text = read('haproxy.cfg')
  assert.match(text, new RegExp(`uri ${ready} `))
  const [, inter, fall] = /inter (\d+)s fall (\d+)/.exec(text)!
  return Number(inter) * (Number(fall) + 1)
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold: number
}

/** The parts of Kubernetes' objects that this file reads. */
interface Resource {
  readonly kind: string
  readonly data: Readonly<Record<string, string>>
  readonly spec: {
    readonly replicas: number
    readonly minAvailable: number
    readonly selector: { readonly matchLabels: object }
    readonly ports: readonly { readonly targetPort: string }[]
    readonly strategy: { readonly rollingUpdate: object }
    readonly template: { readonly metadata: { readonly labels: object }; readonly spec: PodSpec }
  }
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number
  readonly automountServiceAccountToken: boolean
  readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number }
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value: string }[]
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
    readonly startupProbe: Probe
    readonly livenessProbe: Probe
    readonly readinessProbe: Probe
    readonly securityContext: object
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  }[]
  readonly volumes: readonly { readonly name: string }[]
}

test('Kubernetes: probes, ports, options and timeouts are those of the program', () => {
  const resources = parseAllDocuments(read('kubernetes/trellis.yaml')).map((each) => each.toJS() as Resource)
  const one = (kind: string) => resources.find((each) => each.kind === kind)!
  const { replicas, strategy, selector, template } = one('Deployment').spec
  const pod = template.spec
  const [container] = pod.containers
  const { env, ports, startupProbe, livenessProbe, readinessProbe, volumeMounts } = container!
  const settings = settingsOf(Object.fromEntries(env.map(({ name, value }) => [name, value])), {
    '/etc/trellis/trellis.config.yaml': one('ConfigMap').data['trellis.config.yaml']!,
  })
  assert.deepEqual(
    [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet),
    [live, live, ready].map((path) => ({ path, port: 'http' })),
  )
  assert.deepEqual(ports, [
    { name: 'http', containerPort: settings.serverPort },
    { name: 'metrics', containerPort: (settings as unknown as { metricsPort: number }).metricsPort },
  ])
  assert.ok(pod.terminationGracePeriodSeconds >= endSeconds(settings))
  assert.ok(settings.shutdownDelay > readinessProbe.periodSeconds * readinessProbe.failureThreshold)
  assert.deepEqual(strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 })
  assert.ok(replicas > one('PodDisruptionBudget').spec.minAvailable, 'a node can be drained')
  assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser], [true, 10001])
  assert.deepEqual(container!.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  assert.equal(pod.automountServiceAccountToken, false)
  assert.deepEqual(volumeMounts.map(({ name }) => name).sort(), pod.volumes.map(({ name }) => name).sort())
  for (const { value } of env)
    assert.ok(
      volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`)),
      value,
    )
  for (const [label, value] of Object.entries(selector.matchLabels)) {
    assert.equal((template.metadata.labels as Record<string, string>)[label], value)
  }
  assert.deepEqual(
    one('Service').spec.ports.map(({ targetPort }) => targetPort),
    ['http'],
  )
})

test('the chart has the version of the program, and refuses each secret as an option', () => {
  const { version, appVersion } = parse(read('helm/trellis/Chart.yaml')) as Readonly<Record<string, string>>
  assert.deepEqual([version, appVersion], [manifest.version, manifest.version])
  const schema = JSON.parse(read('helm/trellis/values.schema.json')) as {
    properties: { config: { not: { anyOf: readonly { required: readonly string[] }[] } } }
  }
  const refused = schema.properties.config.not.anyOf.flatMap(({ required }) => required)
  const secrets = builtInOptions.filter(({ declaration }) => declaration.secret === true).map(({ key }) => key)
  assert.deepEqual([...refused].sort(), [...secrets].sort())
})

const helm = findProgram('helm')
const withHelm = { skip: helm ? false : 'there is no helm here' }

test('helm: the chart is sound, and kubernetes/trellis.yaml is its output', withHelm, () => {
  execFileSync(helm!, ['lint', '--strict', '--quiet', chart], { encoding: 'utf8' })
  const printed = execFileSync(helm!, ['template', 'trellis', chart], { encoding: 'utf8' })
  const head = read('kubernetes/trellis.yaml').split(/^(?=---)/m)[0]!
  assert.equal(`${head}${printed}`, read('kubernetes/trellis.yaml'))
  const withSecret = spawnSync(helm!, ['template', chart, '--set', 'config.adminSecret=x'], { encoding: 'utf8' })
  assert.notEqual(withSecret.status, 0)
  const ingress = ['--set', 'ingress.enabled=true,ingress.host=api.example.com,ingress.tlsSecret=tls']
  assert.match(execFileSync(helm!, ['template', chart, ...ingress], { encoding: 'utf8' }), /kind: Ingress/)
})

const validator = findProgram('kubernetes-validate')
const withValidator = { skip: validator ? false : 'there is no kubernetes-validate here' }

test('kubernetes-validate: the manifests have no unknown key', withValidator, () => {
  const files = readdirSync(join(folder, 'kubernetes')).filter((name) => name.endsWith('.yaml'))
  for (const file of files) {
    execFileSync(validator!, ['--strict', join(folder, 'kubernetes', file)], { encoding: 'utf8', stdio: 'pipe' })
  }
})

test('HAProxy accepts the configuration', { skip: findProgram('haproxy') ? false : 'there is no HAProxy here' }, () => {
  const addresses = {
    LISTEN: '127.0.0.1:8080',
    FIRST: '127.0.0.1:1',
    SECOND: '127.0.0.1:2',
    STATS_SOCKET: '/tmp/unused',
  }
  const env = { ...process.env, ...addresses }
  execFileSync(findProgram('haproxy')!, ['-c', '-f', join(folder, 'haproxy.cfg')], { env, stdio: 'pipe' })
})
