@_spi(Baton) import BatonWeb
import Synchronization

/// A handler that is known only after its server has a port, which the handler needs.
final class LateHandler: HTTPHandler {
    private let handler = Mutex<(any HTTPHandler)?>(nil)

    /// Sets the handler; requests before are answered with 503.
    func set(_ handler: any HTTPHandler) { self.handler.withLock { $0 = handler } }

    func refusal(of head: HTTPRequestHead) -> HTTPResponse? {
        guard let handler = handler.withLock({ $0 }) else { return HTTPResponse(Self.starting) }
        return handler.refusal(of: head)
    }

    func mostBodyBytes(for head: HTTPRequestHead) -> Int {
        handler.withLock { $0 }?.mostBodyBytes(for: head) ?? 0
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard let handler = handler.withLock({ $0 }) else { return HTTPResponse(Self.starting) }
        return await handler.respond(to: request)
    }

    func response(to failure: HTTPFailure) -> HTTPResponse {
        handler.withLock { $0 }?.response(to: failure) ?? HTTPResponse(failure)
    }

    private static let starting = HTTPFailure(503, "The coordinator is starting. Try again.")
}
