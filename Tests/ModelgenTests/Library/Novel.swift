import ObjectGraph

public class Novel: _Novel {
    // modelgen has made this file once and will not write it again.
}
