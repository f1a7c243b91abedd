@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Dispatch

@_spi(Baton) @testable import BatonWeb

/// A coordinator that answers each question with the same bytes, or refuses it.
private struct FixedCluster: WebCluster, WebConnection {
    let reply: Reply

    var newestEvent: UInt64 { 0 }

    func connect(by key: AuthorizedKey?) -> any WebConnection { self }

    func ask(_ request: Request) async -> Reply? { reply }

    func close() {}
}

/// The parts of a request in an input: a line with the kind of reply, the method and the target, lines of headers, an empty line,
/// and the body.
private struct RawRequest {
    let reply: Reply
    let method: String
    let target: String
    let headers: HTTPHeaders
    let body: [UInt8]

    init?(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        func line() -> String {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            defer { rest = rest[min(end + 1, rest.endIndex)...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }
        let words = line().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { return nil }
        (method, target) = (String(words[1]), String(words[2]))
        var headers: HTTPHeaders = ["Host": "127.0.0.1:7462", "Content-Type": "application/json"]
        while true {
            let text = line()
            if text.isEmpty { break }
            let parts = text.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers.add(String(parts[0]), String(parts[1])) }
        }
        self.headers = headers
        body = Array(rest)
        switch words[0] {
        case "d": reply = .document(body)
        case "e": reply = .events(EventPage(lines: body, last: UInt64(body.count)))
        case "j": reply = .job(JobNumber(1), operations: 1, isNew: true)
        case "l":
            reply = .output(
                OutputChunk(offset: 0, bytes: body, totalLength: UInt64(body.count), isComplete: true)
            )
        default: reply = .refused(Refusal(.notFound, String(words[0])))
        }
    }
}

/// The guard of a coordinator without keys; the token's file is never read without a token.
private let access = RequestGuard(
    HostNames(boundTo: "127.0.0.1", port: 7462),
    TokenRegistry(nil, localFile: LocalTokenFile(home: "/nowhere")),
    isInsecure: true,
    ActionRate(mostOfSecond: .max)
)

/// The entry point for libFuzzer: no request may crash the web interface, and each gets an answer.
@_cdecl("LLVMFuzzerTestOneInput")
public func answerRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard let raw = RawRequest(bytes),
        let head = try? HTTPRequestHead(
            method: raw.method,
            target: raw.target,
            headers: raw.headers,
            peer: HTTPPeer(address: "127.0.0.1")
        )
    else { return 0 }
    _ = try? HTTPBodyLength(head.headers)
    let interface = WebInterface(access, FixedCluster(reply: raw.reply), version: "fuzz")
    _ = interface.mostBodyBytes(for: head)
    if let refusal = interface.refusal(of: head) {
        precondition(refusal.status >= 400, "\(refusal.status)")
        // Whoever has no token is refused here; the routes are asked nevertheless.
    }
    let request = HTTPRequest(head: head, body: raw.body)
    let done = DispatchSemaphore(value: 0)
    Task {
        let response = await interface.respond(to: request)
        precondition((200..<600).contains(response.status), "\(response.status)")
        if case .stream(let stream) = response.body { stream.discard() }
        done.signal()
    }
    done.wait()
    return 0
}
