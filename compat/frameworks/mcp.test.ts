import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as client2 from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import * as server2 from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { recordMcp } from '../../src/hooks/mcp/index.js'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import { outline } from './support.js'

const NAME = { name: 'shop', version: '1.0.0' }
const VERSIONS = {
  1: { Client, McpServer, linked: () => InMemoryTransport.createLinkedPair() },
  2: {
    Client: client2.Client as unknown as typeof Client,
    McpServer: server2.McpServer as unknown as typeof McpServer,
    linked: () =>
      client2.InMemoryTransport.createLinkedPair() as unknown as ReturnType<
        typeof InMemoryTransport.createLinkedPair
      >,
  },
}

for (const [version, { Client, McpServer, linked }] of Object.entries(VERSIONS)) {
  const serverOf = (recording?: Recording) => {
    const server = new McpServer(NAME)
    server.registerTool(
      'weather',
      {
        description: 'The weather of a city',
        inputSchema: z.object({ city: z.string() }) as never,
      },
      (async ({ city }: { city: string }) => {
        if (city === 'Atlantis') throw new Error('no such city')
        const text =
          recording === undefined
            ? `Rain in ${city}`
            : await recording.stepwell.trace('look', async () => `Rain in ${city}`)
        return { content: [{ type: 'text' as const, text }] }
      }) as never,
    )
    server.registerTool('slow', { description: 'Waits' }, () => new Promise(() => {}))
    server.registerResource('terms', 'shop://terms', {}, async (uri) => ({
      contents: [{ uri: uri.href, text: 'No refunds.' }],
    }))
    return server
  }
  /** Version 2 has no schema before the options. */
  const callWith = (client: Client, name: string, options: object) =>
    version === '1'
      ? client.callTool({ name }, undefined, options)
      : client.callTool({ name }, options as never)
  const connected = async (ofClient?: Recording, ofServer?: Recording) => {
    const client = new Client(NAME)
    const server = serverOf(ofServer)
    if (ofClient) recordMcp(ofClient.stepwell, client)
    if (ofServer) recordMcp(ofServer.stepwell, server)
    const [near, far] = linked()
    await server.connect(far)
    await client.connect(near)
    return { client, server }
  }

  test(`mcp ${version}: calls of tools are steps of the client, and the steps of the server are inside them`, async () => {
    const recording = recordInMemory()
    const plain = await connected()
    const { client } = await connected(recording, recording)
    const call = (city: string) => ({ name: 'weather', arguments: { city } })
    const results = await recording.stepwell.trace('agent', () =>
      Promise.all([client.callTool(call('Oslo')), client.callTool(call('Rome'))]),
    )
    expect(results).toEqual([
      await plain.client.callTool(call('Oslo')),
      await plain.client.callTool(call('Rome')),
    ])
    expect(outline(recording.tree())).toEqual([
      'agent (run)',
      '  weather (tool)',
      '    weather',
      '      look',
      '  weather (tool)',
      '    weather',
      '      look',
    ])
    expect(recording.steps[1]).toMatchObject({
      isOpen: false,
      input: { city: 'Oslo' },
      output: { content: [{ type: 'text', text: 'Rain in Oslo' }] },
    })
  })

  test(`mcp ${version}: a server alone, and a client alone`, async () => {
    const ofServer = recordInMemory()
    const { client } = await connected(undefined, ofServer)
    await client.callTool({ name: 'weather', arguments: { city: 'Oslo' } })
    expect(outline(ofServer.tree())).toEqual(['weather (tool)', '  look'])
    const ofClient = recordInMemory()
    const other = await connected(ofClient)
    await other.client.callTool({ name: 'weather', arguments: { city: 'Oslo' } })
    expect(outline(ofClient.tree())).toEqual(['weather (tool)'])
  })

  test(`mcp ${version}: a tool that fails, a tool that is not there, and a resource`, async () => {
    const recording = recordInMemory()
    const { client } = await connected(recording)
    const plain = await connected()
    const failing = { name: 'weather', arguments: { city: 'Atlantis' } }
    expect(await client.callTool(failing)).toEqual(await plain.client.callTool(failing))
    const outcome = ({ client }: { client: Client }) =>
      client.callTool({ name: 'none' }).then((value) => value, String)
    expect(await outcome({ client })).toEqual(await outcome(plain))
    await client.readResource({ uri: 'shop://terms' })
    expect(recording.steps).toMatchObject([
      { type: 'tool', error: 'no such city' },
      { type: 'tool', name: 'none', error: expect.stringContaining('none') },
      {
        type: 'retrieval',
        input: { uri: 'shop://terms' },
        output: { contents: [{ text: 'No refunds.' }] },
      },
    ])
  })

  test(`mcp ${version}: a call that is cancelled, one that is late, and a connection that closes`, async () => {
    const recording = recordInMemory()
    const { client } = await connected(recording, recording)
    const controller = new AbortController()
    const cancelled = callWith(client, 'slow', { signal: controller.signal })
    const open = () => recording.steps.filter(({ type, isOpen }) => type === 'tool' && isOpen)
    await eventually(() => expect(open()).toHaveLength(1))
    controller.abort('no more')
    await expect(cancelled).rejects.toThrow()
    await expect(callWith(client, 'slow', { timeout: 20 })).rejects.toThrow()
    const cut = client.callTool({ name: 'slow' })
    await eventually(() => expect(open()).toHaveLength(1))
    await client.close()
    await expect(cut).rejects.toThrow()
    await eventually(() => expect(recording.steps.some(({ isOpen }) => isOpen)).toBe(false))
    const errors = recording.steps.filter(({ type }) => type === 'tool').map(({ error }) => error)
    expect(errors).toEqual([
      expect.stringContaining('no more'),
      expect.stringMatching(/timed? ?out/i),
      'the connection was closed',
    ])
  })
}

test('mcp 1 over HTTP: the trace goes with the request to a server elsewhere', async () => {
  const [near, far] = [recordInMemory(), recordInMemory()]
  const server = recordMcp(far.stepwell, new McpServer(NAME))
  server.registerTool('ping', { description: 'Answers' }, async () => ({
    content: [{ type: 'text', text: 'pong' }],
  }))
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'session-1' })
  await server.connect(transport)
  const http = createServer((request, response) => void transport.handleRequest(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const client = recordMcp(near.stepwell, new Client(NAME))
  const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
  await client.connect(new StreamableHTTPClientTransport(url))
  const { content } = await client.callTool({ name: 'ping' })
  expect(content).toEqual([{ type: 'text', text: 'pong' }])
  expect(far.steps).toMatchObject([{ name: 'ping', parentId: near.steps[0]?.id, isOpen: false }])
  await client.close()
  await server.close()
  http.closeAllConnections()
  http.close()
})
