@_spi(Baton) import BatonKeys

import Testing

@_spi(Baton) @testable import BatonWeb

/// A web interface in front of a prepared coordinator without keys, asked with the token of its home.
final class TestInterface: Sendable {
    let cluster: PreparedCluster
    let live: LiveBoard
    private let interface: WebInterface
    /// The coordinator's state directory.
    let home: TemporaryHome
    private let token: BearerToken
    private let schemas: AnswerSchemas

    init(_ cluster: PreparedCluster, _ graphs: GraphReader = GraphReader(), mostActions: Int = 1_000_000) throws {
        home = try TemporaryHome()
        let file = LocalTokenFile(home: home.path)
        token = try file.tokenOrNew()
        let access = RequestGuard(
            HostNames(boundTo: "127.0.0.1", port: 7462),
            TokenRegistry(nil, localFile: file),
            isInsecure: true,
            ActionRate(mostOfSecond: mostActions)
        )
        schemas = try AnswerSchemas.own.get()
        self.cluster = cluster
        live = LiveBoard(cluster)
        interface = WebInterface(access, cluster, version: "test", live, graphs)
    }

    /// The answer to a request, as the server asks for it; a document that is not as described is an issue.
    func ask(
        _ method: String,
        _ target: String,
        _ body: String = "",
        headers more: HTTPHeaders = [:],
        mostStreams: Int = 1
    ) async throws -> HTTPResponse {
        var headers: HTTPHeaders = [
            "Host": "127.0.0.1:7462", "Authorization": "Bearer \(token.text)", "Content-Type": "application/json",
        ]
        for field in more.fields { headers.add(field.name, field.value) }
        let head = try HTTPRequestHead(
            method: method,
            target: target,
            headers: headers,
            peer: HTTPPeer(address: "127.0.0.1")
        )
        let request = HTTPRequest(head: head, body: Array(body.utf8), mostStreams: mostStreams)
        let refusal = interface.refusal(of: head)
        let response = if let refusal { refusal } else { await interface.respond(to: request) }
        let objections =
            try schemas.objections(to: response, of: head) + schemas.headerObjections(to: response, of: head)
        #expect(objections.isEmpty, "\(method) \(target): \(objections)")
        return response
    }
}

extension HTTPResponse {
    /// The body as a text; empty for a stream.
    var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
