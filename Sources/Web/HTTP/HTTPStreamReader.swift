import CBatonMicroHTTPD

/// The daemon's side of a stream: belongs to the daemon's thread.
final class HTTPStreamReader {
    private let stream: HTTPStream
    private let handle: HTTPConnectionHandle

    init(stream: HTTPStream, handle: HTTPConnectionHandle) {
        self.stream = stream
        self.handle = handle
    }

    /// Copies bytes of the stream, as the callback of libmicrohttpd has to.
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch stream.take(into: buffer, suspending: handle) {
        case .bytes(let count): count
        case .nothing: 0
        case .end: Int(CMICROHTTPD_END)
        case .failure: Int(CMICROHTTPD_FAILURE)
        }
    }
}
