extension HTTPResponse {
    /// The headers of every answer: nothing is guessed, told to others, or embedded by others.
    private static let usualHeaders: HTTPHeaders = [
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
    ]

    /// An answer of some type, which nobody stores.
    init(status: Int = 200, type: String, _ bytes: [UInt8]) {
        var headers = Self.usualHeaders
        headers.add("Content-Type", type)
        self.init(status: status, headers: headers, body: bytes)
    }

    /// A document of JSON.
    static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, type: "application/json", bytes)
    }

    /// A text.
    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, type: "text/plain; charset=utf-8", Array(text.utf8))
    }

    /// The word of a process that answers.
    static let living = text("ok\n")

    /// The word of a coordinator whose record cannot be written, or is not read yet.
    static let unready = text("unavailable\n", status: 503)

    /// The answer with a policy under which a picture runs no script and loads nothing, also in a tab of its own.
    var sandboxed: HTTPResponse {
        var response = self
        response.headers.add("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        return response
    }

    /// Server-sent events, which the stream brings.
    static func events(_ stream: HTTPStream) -> HTTPResponse {
        var response = HTTPResponse(type: "text/event-stream", [])
        response.body = .stream(stream)
        return response
    }
}
