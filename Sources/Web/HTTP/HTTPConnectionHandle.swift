import CBatonMicroHTTPD

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connection as libmicrohttpd knows it.
///
/// Valid in callbacks for the connection, and while the connection is suspended: only who has the duty to resume it may then
/// use the handle.
struct HTTPConnectionHandle: Sendable {
    let library: HTTPLibrary
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes the connection out of the daemon's loop; in a callback that may do so.
    func suspend() { cmicrohttpd_suspend(library.functions, pointer) }

    /// Gives the suspended connection back to the daemon; on any thread, and once.
    func resume() { cmicrohttpd_resume(library.functions, pointer) }

    /// The bytes of the first line and the headers.
    var headerSize: Int { cmicrohttpd_header_size(library.functions, pointer) }

    /// The headers.
    ///
    /// - Throws: ``HTTPFailure`` with the status 400 if there is a control character in one of them, or a name is malformed.
    func headers() throws(HTTPFailure) -> HTTPHeaders {
        var reading = Reading()
        withUnsafeMutablePointer(to: &reading) { reading in
            cmicrohttpd_headers(library.functions, pointer, reading) { context, name, nameLength, value, valueLength in
                let name = UnsafeRawBufferPointer(start: name, count: nameLength)
                let value = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength)
                context.assumingMemoryBound(to: Reading.self).pointee.add(name, value)
            }
        }
        guard !reading.hasControl else { throw HTTPFailure(400, "A header has a control character.") }
        guard !reading.hasBadName else { throw .ambiguous }
        return reading.headers
    }

    private struct Reading {
        var headers = HTTPHeaders()
        var hasControl = false
        var hasBadName = false

        /// Whether a character may be in a name (RFC 9110, 5.6.2).
        private static func isPartOfName(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }

        mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
            let tab = UInt8(ascii: "\t")
            hasControl = hasControl || [name, value].joined().contains { $0 < 0x20 && $0 != tab || $0 == 0x7F }
            hasBadName = hasBadName || name.isEmpty || !name.allSatisfy(Self.isPartOfName)
            let space = [UInt8(ascii: " "), tab]
            let end = value.lastIndex { !space.contains($0) }.map { $0 + 1 } ?? 0
            headers.add(
                String(decoding: name, as: UTF8.self),
                String(decoding: value[..<end].drop { space.contains($0) }, as: UTF8.self)
            )
        }
    }

    /// Queues an answer; in a callback that may do so.
    ///
    /// - Returns: false if the connection cannot take the answer; the connection then has to be closed.
    /// - Throws: ``HTTPFailure`` if a header is malformed; nothing was queued then, and the stream is not used.
    func queue(_ response: HTTPResponse, isHead: Bool) throws(HTTPFailure) -> Bool {
        let made: OpaquePointer?
        switch response.body {
        case .bytes(let bytes):
            made = bytes.withUnsafeBytes { cmicrohttpd_bytes(library.functions, $0.baseAddress, $0.count) }
        case .stream(let stream):
            let reader = Unmanaged.passRetained(HTTPStreamReader(stream: stream, handle: self)).toOpaque()
            made = cmicrohttpd_stream(
                library.functions,
                response.length ?? .max,
                Self.blockSize,
                isHead,
                reader,
                { context, _, buffer, size in
                    guard let context else { return ssize_t(CMICROHTTPD_FAILURE) }
                    let reader = Unmanaged<HTTPStreamReader>.fromOpaque(context).takeUnretainedValue()
                    return reader.read(UnsafeMutableRawBufferPointer(start: buffer, count: size))
                },
                { context in if let context { Unmanaged<HTTPStreamReader>.fromOpaque(context).release() } }
            )
        }
        guard let made else { return false }
        defer { cmicrohttpd_release(library.functions, made) }
        for field in response.headers.fields {
            guard cmicrohttpd_add_header(library.functions, made, field.name, field.value) else { throw .unsendable }
        }
        return cmicrohttpd_queue(library.functions, pointer, UInt32(clamping: response.status), made)
    }

    /// The most bytes of a stream that are sent at once to a client of HTTP/1.0; they are part of the memory of a stream.
    private static let blockSize = 4_096
}
