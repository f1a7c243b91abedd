/// How patient a client is.
public struct ClientOptions: Sendable {
    /// The client's build, which its hello names, for people.
    public var version: String

    /// How long a connection may take to be made before nobody is taken to listen there.
    public var connectTimeout: Duration = .seconds(5)

    /// How long whoever listens there may take to answer the hello before it is taken to be no coordinator.
    public var welcomeTimeout: Duration = .seconds(5)

    /// How long nothing may be heard, while an answer is outstanding, before the client asks for a sign of life.
    public var probeAfter: Duration = .seconds(5)

    /// How long nothing may be heard, while an answer is outstanding, before the connection is given up and made anew.
    public var silenceLimit: Duration = .seconds(15)

    /// How long a coordinator that has been there may be away before the requests to it fail.
    public var awayLimit: Duration = .seconds(60)

    /// The pause before a connection that was lost is made anew.
    public var reconnectPause: Duration = .milliseconds(200)

    /// The usual patience, for a build of this name.
    public init(version: String) {
        self.version = version
    }
}
