import CBatonAssets

/// A file of the page.
struct PageAsset: Sendable {
    /// The name, such as `page.css`.
    let name: String
    /// The media type.
    let type: String
    /// The content.
    let bytes: [UInt8]
    /// The content's own `ETag`, with which a browser asks whether its copy is that of this program.
    let tag: String

    /// All files, which are part of the program.
    ///
    /// - Complexity: O(bytes).
    static var all: [PageAsset] {
        (0..<baton_asset_count).compactMap { place in
            guard let asset = baton_asset_at(place)?.pointee else { return nil }
            return PageAsset(
                name: String(cString: asset.name),
                source: Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
            )
        }
    }

    /// Makes a file of its source in `Sources/Web/Assets`.
    init(name: String, source: [UInt8]) {
        self.name = name
        switch name.split(separator: ".").last {
        case "js": (type, bytes) = ("text/javascript; charset=utf-8", CompactText.of(source, .script))
        case "css": (type, bytes) = ("text/css; charset=utf-8", CompactText.of(source, .style))
        case "svg": (type, bytes) = ("image/svg+xml", source)
        default: (type, bytes) = ("text/html; charset=utf-8", CompactText.of(source, .markup))
        }
        // FNV-1a: the tag tells versions of the program apart, and needs no more.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        tag = "\"\(String(hash, radix: 16))\""
    }

    /// The answer to a request for the file: without the content if the client has it already.
    func response(to head: HTTPRequestHead) -> HTTPResponse {
        let known = head.headers.values(of: "If-None-Match").joined(separator: ",").split(separator: ",")
        // A proxy that has packed the content marks its tag as weak.
        let isKnown = known.contains { item in
            let item = item.drop { $0 == " " }
            return item == "*" || item == tag || item == "W/" + tag
        }
        var response = HTTPResponse(status: isKnown ? 304 : 200, type: type, isKnown ? [] : bytes)
        response.headers["Cache-Control"] = "no-cache"
        response.headers.add(.tag, tag)
        return response
    }
}
