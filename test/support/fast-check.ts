// fast-check, whose random values repeat if TRELLIS_TEST_SEED is set. CI derives the seed from the commit, so that one
// commit always gets the same result.

import fc from 'fast-check'

const given = process.env['TRELLIS_TEST_SEED']

/** The seed of all random tests, a whole number below 2^31; null: each test draws its own. */
export const testSeed: number | null = given ? Number(given) : null

if (testSeed !== null) fc.configureGlobal({ seed: testSeed })

export default fc
