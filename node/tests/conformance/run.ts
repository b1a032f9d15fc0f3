/**
 * Runs the conformance suite through the addon and prints one line a case. A summary goes to standard error. The exit status is 1
 * where a case failed.
 *
 *     node run.js [--only TEXT]
 */

import { parseArgs } from 'node:util'
import { allCases } from '../../../wasm/tests/conformance/cases.js'
import { line, runAll } from '../../../wasm/tests/conformance/runner.js'
import { capabilities } from '../../ts/index.js'
import { diskDoor, suite } from './door.js'

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const { engine, reason } = capabilities()
if (engine !== 'native') throw new Error(`this is for the addon, which is not there: ${reason}`)
const door = await diskDoor()
const cases = (await allCases(suite)).filter(({ name }) => name.includes(values.only))
const { passed, failed, skipped } = await runAll(door, cases, (outcome) => console.log(line(outcome)))
await door.end()
console.error(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
