import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { RaggedStore } from 'recask'
import { nowhere } from '../support/place.js'
import { printed, shipped } from './script.js'

interface Word {
  readonly word: string
  readonly phonemes: readonly string[]
}

/** What the stores hold, decoded. */
async function stored(dest: string): Promise<Word[]> {
  const vocabulary = JSON.parse(readFileSync(join(dest, 'vocabulary.json'), 'utf8')) as string[]
  const [spellings, phonemes] = await Promise.all(['spellings', 'phonemes'].map((name) => RaggedStore.open(join(dest, name))))
  assert.deepEqual([spellings!.codec, phonemes!.codec], ['zstd_dict', 'zstd_dict'])
  const [texts, tokens] = [await spellings!.gather({}), await phonemes!.gather({})]
  const words = Array.from({ length: texts.length }, (_, record) => ({
    word: new TextDecoder().decode(texts.record(record).data as Uint8Array),
    phonemes: Array.from(tokens.record(record).data as Uint8Array, (number) => vocabulary[number]!),
  }))
  await Promise.all([spellings!.close(), phonemes!.close()])
  return words
}

describe('words.js', () => {
  it('makes ragged stores of lines of JSON', async () => {
    const [dest, source] = [nowhere(), shipped('cmudict.jsonl.gz')]
    assert.deepEqual(await printed('words.js', dest, source), [
      `20646 words of 69 phonemes in ${dest}`,
      'a: AH0',
      'laffoon: L AA0 F UW1 N',
      'zyskowski: Z IH0 S K AO1 F S K IY0',
    ])
    const lines = gunzipSync(readFileSync(source)).toString('utf8').trimEnd().split('\n')
    assert.deepEqual(
      await stored(dest),
      lines.map((line) => JSON.parse(line) as Word),
    )
  })

  it('makes them of the npm package', async () => {
    const dest = nowhere()
    const lines = await printed('words.js', dest)
    assert.equal(lines[0], `135155 words of 84 phonemes in ${dest}`)
    const words = await stored(dest)
    assert.deepEqual(words[0], { word: "'bout", phonemes: ['B', 'AW1', 'T'] })
    assert.deepEqual(words.at(-1), { word: 'zywicki', phonemes: ['Z', 'IH0', 'W', 'IH1', 'K', 'IY0'] })
  })
})
