// A dictionary of pronunciations becomes two ragged stores: spellings as UTF-8, and phonemes as tokens, compressed with a dictionary
// that is trained on them.
//
//     node words.js DEST [WORDS.jsonl[.gz]]
//
// A line is {"word": "aaron", "phonemes": ["EH1", "R", "AH0", "N"]}. Without a file it takes the npm package
// `cmu-pronouncing-dictionary`.

import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { RaggedStore, trainDict } from 'recask'

const [dest = 'words', source] = process.argv.slice(2)
const words = source ? await ofLines(source) : await ofPackage()

// Every phoneme gets a number, the frequent ones first.
const counts = new Map()
for (const phoneme of words.flatMap(({ phonemes }) => phonemes)) counts.set(phoneme, (counts.get(phoneme) ?? 0) + 1)
const vocabulary = [...counts.keys()].sort((left, right) => counts.get(right) - counts.get(left))
const numbers = new Map(vocabulary.map((phoneme, number) => [phoneme, number]))

const encoder = new TextEncoder()
const spellings = words.map(({ word }) => encoder.encode(word))
const tokens = words.map(({ phonemes }) => Uint8Array.from(phonemes, (phoneme) => numbers.get(phoneme)))
await write('spellings', spellings)
await write('phonemes', tokens)
await writeFile(join(dest, 'vocabulary.json'), JSON.stringify(vocabulary))
console.log(`${words.length} words of ${vocabulary.length} phonemes in ${dest}`)

const phonemes = await RaggedStore.open(join(dest, 'phonemes'))
const middle = words.length >> 1
const batch = await phonemes.gather([0, middle, -1])
;[0, middle, words.length - 1].forEach((record, at) => {
  console.log(`${words[record].word}: ${Array.from(batch.record(at).data, (number) => vocabulary[number]).join(' ')}`)
})
await phonemes.close()

async function write(name, records) {
  const dictionary = await trainDict(records.filter(({ length }) => length > 0), { tier: 'fast' })
  const store = await RaggedStore.create(join(dest, name), { dtype: 'uint8', codec: 'zstd_dict', dictionary })
  for (let start = 0; start < records.length; start += 4096) await store.append(records.slice(start, start + 4096))
  await store.close()
}

async function ofLines(path) {
  const file = createReadStream(path)
  const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file
  const found = []
  for await (const line of createInterface({ input })) if (line.trim() !== '') found.push(JSON.parse(line))
  return found
}

async function ofPackage() {
  const { dictionary } = await import('cmu-pronouncing-dictionary')
  return Object.entries(dictionary).map(([word, phonemes]) => ({ word, phonemes: phonemes.split(' ') }))
}
