// Frequent words of English and of programs, each one token in the vocabularies that bound tokens: o200k, cl100k and Claude's
// published one. Longer words are counted by their letters.
const WORDS = `
abc able abort about above absolute abstract accept acceptable accepted access according account accuracy action
actions active actual actually adapter add added adding additional address addresses adds admin advanced after
again against age agent agents ahead aim ais aka alert algorithm alias aliases align alive all allow allowed
allows alone along alpha already also alt alternative although always among amount amp and another answer
answered answers any anything apache api app appear append application applications apply appropriate apps
archive are aren arg args argument arguments argv around arr array arrays arrival ascii ask asks assert assets
assign assistant associated ast async attach attached attachment attachments attempt attribute attributes audio
auth authentication author authors auto automatic available avatar avoid await aware away awesome aws azure back
backend background bad badge banner bar bare base based basename bash basic basis batch baz beat because been
before begin behavior being below bench benchmark best beta better between big bin binary bind bit bits black
blank blob block blocks blog blue body bold book boolean both bound boundary bounds box brace branch brand break
breaking broken browser bucket budget buf buffer buffers bug bugs build building built bundle but button byte
bytes cache cached call callback callbacks called caller calling calls came campaign can cancel cannot canonical
capture carry case cases cast cat catch categories cause center cert certificate chain change changed changes
changing channel chapter character characters charge charset chart charts chat check checked checking checks
child children choice choices choose chosen chrome chunk chunks claim class classes clean cleanup clear cli
click client clients clock clone close closed closing cloud cluster cmd code codes coding coffee collection
collections collector color colors column columns com combine combined come comes comma command commands comment
comments commit common communication community compact companies company compare comparison compat compatible
compile compiled compiler complete completed completion complex component components compose compress compressed
compression compute computed concept condition conditional conditions conduct conf confidence config
configuration configure configured confirm connect connection connections consider consistent console const
constant constants construct constructor consume consumer contain contained container contains content contents
context continue contract contributors control controller controls conversation conversion convert converted
cookie cookies copies copy copyright core correct cost could count counter counts course cover coverage cpu
create created creates creating creation credential credentials credits critical cross crypto css csv ctrl ctx
curl current currently cursor custom cut cwd dark data database dataset datasets date datetime day days dead
deal debug decimal decision declare decode decoded deep def default defaults define defined defines definition
definitions delay delete deleted delimiter deliver delivery delta demo depend dependencies dependency depends
deployment deprecated deps depth derived desc description design desired destination destroy detail details
detect dev developer developers development did diff difference different digits dir direct direction
directories directory dirname disable disabled discord discussion disk dispatcher display dist distributed div
dns doc docs document documentation documents does doing dom domain don done dos dot dots double down download
downloads draft drop due duplicate duration during dynamic each early east easy echo edge edit editor effect
either electron element elements else email embedded embedding emit emoji empty enable enabled encode encoded
encoder encoding end ended endpoint ends engine english ensure enter entity entries entry enum env environment
equal equals err error errors escape escaped especially estimate etc eval evaluate evaluation even event events
ever every everything exact example examples except exception exceptions exclude excluding exe exec execute
execution exist existing exists exit expand expanded expect expected experience experiment experimental explicit
export exports express expression ext extend extended extends extension extensions external extra extract facet
fact fail failed fails failure fall fallback falls false family far fast fault feature features feedback feel
fetch few field fields file filename filepath files filesystem fill filter filtered filters final finally find
fine finish finished finite fires first firstname fit fitness five fix fixed fixtures flag flags flat float
floating flow flush focus folder follow following foo for force foreach forget fork form format formats
formatted formatter forms forum forward found four fragment frame frames framework free fresh friendly from full
fully function functions future gateway gen general generate generated generation generator generic get gets
getter getting gif git github give given glob global globals goal going good google got graph graphs gray great
greater green ground group groups grpc guide gzip had half hand handle handled handler handlers handles handling
hard has hash have having head header headers heads health height held hello help helper helpers here hex hidden
hide high higher highest history hold holder holders holds hole home homepage hook hooks horizontal host
hostname hosts hour hours how href html http https human icon idea ideal identifier identity idle ids ignore
ignored image images img impact implement implementation implemented implements import important imports ims inc
include included includes including inclusive incoming incorrect increase increment indent index indexes
individual infer info information inherit init initial initialize inline input inputs insert inside inspect
install installation installed instance instances instead instructions int integer integration interaction
interactive interface interfaces internal internet interval into invalid invoke ipv iso issue issues italic item
items iterate iteration iterator its javascript job jobs john join joined json judge just keep keeping key keys
keyword kill kind know known label labels labs land lang language languages large last late later latest layer
lazy lead leading learn lease leased least leave left legacy length less let lets letter letters level levels
lib libraries library license licenses life light like likely limit limited limits line lines link links lint
linux list listed listen listener listeners lists literal little live load loaded loader loading loads local
locale localhost location locations lock log logged logger logging logic login logo logs long look looking
lookup loop loss lost lot low lower machine made magic main maintenance major make makes making manage
management manager manual many map mapped mapping maps margin mark markdown marked marks mask master match
matched matcher matches matching math matter max maximum may maybe mean meaning means measure media medium
member members memory mentioned merge merged message messages meta metadata method methods metric metrics middle
middleware might migration million milliseconds mime min mind minimal minimum minor minute minutes missing mit
mock mod mode model models modern modified modify module modules moment monthly more most move moves much multi
multipart multiple must mutation name named names namespace nan native navigation necessary need needed needs
negative nest nested net network never new newline next node nodes non none nor normal normalize normally not
notation note notes nothing notice now null number numbers numeric obj object objects off offer offers official
offset often old older omit once one ones online only open opening opens operate operation operations operator
operators ops opt optimized option optional options opts orange order ordered orders org origin original oss
other others otherwise our out outline output outputs outside over override overview overwrite own package
packages page pages pagination pair pairs parallel param parameter parameters params parent parse parsed parser
part partial participant participants parts party pass passed passes password past patch path pathname paths
pattern patterns pause payload pdf peer pending people per percent perform performance period permission person
persons php picture piece pieces pin ping pipe pipeline pkg place places plain plan platform play please plugin
plugins plus png point points policy pool popular port portion position positions possible possibly post
postgres potential power powered practice pre prefer preferred prefix prepared prepend present preset pretty
prevent preview previous price prices primary primitive print printed prints prior priority private pro probably
problem process processed processing processor prod produce production products profile program progress project
projects prompt prop proper properties property proposal props proto protocol prototype provide provided
provider providers proxy psi public publish published pull pure purpose push put python quality queries query
question questions queue quick quiet quote quoted quotes ran random range ranges rate rather raw reach react
read reader reading readonly reads ready real really reason receive received recent recommend recommended record
records red redirect reduce ref refer reference references refresh refs regex regexp region register registered
registration registry regular reject related relative release released remain remaining remote remove removed
rename render repeat replace replacement reply repo report reported reports repos repository representation
represented req request requested requests require required requirements requires res reset resolution resolve
resolved resolver resource resources respond response responses rest restore restriction result results resume
retain retrieve retry return returned returns reverse review rewrite rgb right rights risk role roles room root
round route router routes row rows rule rules run runner running runs runtime safe said same sample samples
sampling save saved say scalar scan schedule schema schemas scheme scope score scores screen script scripts sdk
search sec second seconds secret section secure security see seed seen segment segments select selected
selection self sell semantic send sending sent sentence separator sequence serialization serialize serialized
serializer series serve server servers service services session sessions set sets setting settings setup sha
shall shape share shared sharing shell shift ships shop short should show shown shows side sign signal signals
signature signed silent similar simple since single site size sizes skip slash slice slow small snake snapshot
socket software solution some something sometimes soon sort sorted sound source sources space spaces span spawn
spec special specific specified speed split sql square src stable stack standard star stars start started
starting starts stat state statement states static statistics stats status stay std stderr stdin stdout step
steps still stop storage store stored stores str strategy stream streams strict string strings strip strong
structure structured studio stuff style styles sub subject submit subscription subset success successful such
suffix suite sum summary sup super support supported supports sure surface svg switch symbol symbols sync syntax
system systems tab table tables tag tags take taken takes taking target targets task tasks team tell temperature
template templates temporary ten term terminal terminate terms test tested testing tests text texts than thanks
that the their them theme then there these they thing things think third this those though thread threads three
threshold through throw thus time timeout times timestamp timestamps tiny tip title tls toc token tokens too
tool tools top total trace track traffic transaction transfer transform transparent transport tree tries trigger
trim true truncate try tty tuple turn twitter two txt type typed typeof types typically uint unable unc
undefined under underline unexpected unicode union unique unit unix unknown unless unsafe unsupported until
unused update updated updates upgrade upload uploaded uploads upon upper uppercase uri url urls usage use used
user username users uses using usr usual usually utf util utilities utility utils uuid val valid validate
validated validation validator value values var variable variables variant vendor verb verbose verification
verify version versions very via view views vim visible visit visitor visual void wait waiting walk walking want
warn warning warnings was watch way ways web website weight weights welcome well went were what whatever when
where whether which while white who whole whose why wide width wiki will win window windows wire wish with
within without won word words work worked worker workers workflow working works world would wrap wrapped wrapper
write writes writing written wrong www xml xyz yaml year yellow yes yet yield you your zero zeros zone`

export const COMMON_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/))
