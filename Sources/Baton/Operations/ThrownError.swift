import Foundation

/// An error of ``ClusterOperation/run(in:)`` as the message of the failed operation tells it.
struct ThrownError: Error, CustomStringConvertible {
    let description: String

    /// Finds the best text of an error: what it says to people, else its description.
    ///
    /// A `LocalizedError` says its `errorDescription`, and an error of Foundation its `localizedDescription`, with the path of the file
    /// that it is about. Swift makes a `localizedDescription` for any other error, which tells the type alone; such errors say their
    /// descriptions.
    init(_ error: any Error) {
        if let text = (error as? any LocalizedError)?.errorDescription, !text.isEmpty {
            description = text
        } else if type(of: error) is NSError.Type || error is any CustomNSError {
            description = Self.text(ofFoundations: error)
        } else {
            description = String(describing: error)
        }
    }

    private static func text(ofFoundations error: any Error) -> String {
        var text = error.localizedDescription
        // What follows is the reason, unless it is the domain and the number in parentheses.
        let opening = "The operation could not be completed. "
        if text.hasPrefix(opening), !text.hasPrefix(opening + "(") { text.removeFirst(opening.count) }
        let path = (error as? CocoaError)?.filePath ?? (error as NSError).userInfo[NSFilePathErrorKey] as? String
        if let path, !text.contains(path) { text += " (\(path))" }
        return text
    }
}
