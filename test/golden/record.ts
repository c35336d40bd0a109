// `npm run golden`: records cases anew. Words select cases whose `subject/name` contains one of them.

const words = process.argv.splice(2)
if (process.env['CI']) {
  console.error('Recordings are written by a person, who reads them, not by CI')
  process.exit(1)
}
process.env['TRELLIS_GOLDEN'] = 'write'
process.env['TRELLIS_GOLDEN_CASES'] = words.join(' ')
process.argv.push('golden.test')
await import('../run.ts')
